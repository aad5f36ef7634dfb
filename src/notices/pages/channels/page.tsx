import { useQuery } from '@tanstack/react-query'
import { Bell, Gamepad2, Hash, type LucideIcon, Mail, Plug, Plus, Send, Webhook } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { channelTitle } from '../../../shared/title.ts'
import { Button } from '../../../ui/components/button.tsx'
import { DeleteInRow } from '../../../ui/components/confirm-button.tsx'
import { LoadFailed } from '../../../ui/components/load-failed.tsx'
import { Ago, Moment } from '../../../ui/components/moment.tsx'
import { PageHead, Part } from '../../../ui/components/page.tsx'
import { Tag } from '../../../ui/components/pill.tsx'
import table from '../../../ui/components/small-table.module.css'
import { SmallTable } from '../../../ui/components/small-table.tsx'
import field from '../../../ui/form/field.module.css'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { notifyInfo } from '../../../ui/toasts.ts'
import type { Channel } from '../../channels/contract.ts'
import {
  channelsQuery,
  type EntryTool,
  kindsQuery,
  useDeleteChannel,
  useSwitchChannel,
  useTestChannel,
} from './calls.ts'
import css from './channels.module.css'
import { summaryOf } from './labels.ts'
import type { ChannelKind } from './values.ts'

const useChannelModal = lazyDialog(async () => (await import('./channel-modal.tsx')).ChannelModal)

export function ChannelsPage({ tools }: { tools: readonly EntryTool[] }) {
  useTitle('Channels')
  const query = useQuery(channelsQuery)
  const channels = query.data
  const { data: kinds = [] } = useQuery(kindsQuery)
  // One dialog for all buttons: it has to stay open when its button disappears, such as the example's after a save.
  const { Dialog, turn, open, close, openerAfter } = useChannelModal()
  const [subject, setSubject] = useState<{ channel?: Channel; isExample?: boolean }>({})
  const opens = (next: typeof subject) => openerAfter(() => setSubject(next))
  const edited = channels?.find(({ id }) => id === subject.channel?.id) ?? subject.channel
  return (
    <>
      <PageHead title="Channels">Get a message when something fails or recovers</PageHead>
      <Part aria-label="Channels">
        <div className={css.head}>
          <h2>Your channels</h2>
          <Button size="small" tone="primary" {...opens({})}>
            <Plus size={14} aria-hidden="true" />
            New channel
          </Button>
        </div>
        <LoadFailed queries={[query]} />
        {channels?.length === 0 && (
          <p className={css.none}>
            No channels yet. Add one ({joinWithOr(kinds.map(({ label }) => label))}) to get a message when an entry
            fails, recovers or is blocked. Your inbox gets everything too. The example below uses ntfy, which needs no
            account: install its app on your phone and subscribe to the topic that is filled in.
          </p>
        )}
        {channels?.length === 0 && (
          <div>
            <Button size="small" {...opens({ isExample: true })}>
              Fill in an example
            </Button>
          </div>
        )}
        {channels && channels.length > 0 && (
          <SmallTable heads={['Name', 'Kind', 'Sends', 'Last message', 'On']} act="Change">
            {channels.map((channel) => (
              <ChannelRow key={channel.id} channel={channel} kinds={kinds} tools={tools} opener={opens({ channel })} />
            ))}
          </SmallTable>
        )}
      </Part>
      {Dialog && (
        <Dialog
          key={turn}
          {...subject}
          {...(edited && { channel: edited })}
          open={open}
          tools={tools}
          onClose={close}
        />
      )}
    </>
  )
}

const joinWithOr = (labels: readonly string[]) =>
  labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} or ${labels.at(-1)}`

type RowProps = {
  channel: Channel
  kinds: readonly ChannelKind[]
  tools: readonly EntryTool[]
  opener: ComponentProps<typeof Button>
}

function ChannelRow({ channel, kinds, tools, opener }: RowProps) {
  const label = kinds.find(({ id }) => id === channel.type)?.label ?? channel.type
  const title = channelTitle(channel, label)
  const remove = useDeleteChannel()
  const what = summaryOf(channel, (id) => tools.find((tool) => tool.id === id)?.label ?? id)
  return (
    <tr className={css.row}>
      <td title={title}>
        <span className={table.lead}>
          <KindMark id={channel.type} />
          <span>{title}</span>
          {!channel.status && <Tag text="Off" />}
        </span>
      </td>
      <td data-label="Kind">{label}</td>
      <td className={css.sends} data-label="Sends">
        {what}
      </td>
      <td data-label="Last message">
        <LastMessage channel={channel} />
      </td>
      <td className={css.on} data-label="On">
        <Switch channel={channel} title={title} />
      </td>
      <td className={table.acts}>
        <span>
          <Test channel={channel} title={title} />
          <Button size="small" aria-label={`Edit ${title}`} {...opener}>
            Edit
          </Button>
          <DeleteInRow
            id={channel.id}
            name={title}
            noun="channel"
            consequence="Unsent messages are dropped."
            remove={remove}
          />
        </span>
      </td>
    </tr>
  )
}

const marks: Record<string, LucideIcon> = {
  email: Mail,
  discord: Gamepad2,
  slack: Hash,
  telegram: Send,
  ntfy: Bell,
  webhook: Webhook,
}

function KindMark({ id }: { id: string }) {
  const Mark = marks[id] ?? Plug
  return <Mark size={16} aria-hidden="true" />
}

function LastMessage({ channel: { confirmed, lastError, failingSince, lastSentAt } }: { channel: Channel }) {
  if (!confirmed) return <span className={css.waiting}>Open the link we've mailed to this address.</span>
  if (lastError === null)
    return lastSentAt === null ? (
      'None yet'
    ) : (
      <span>
        Delivered <span className={css.delivered}>✓</span> <Ago at={lastSentAt} />
      </span>
    )
  return (
    <span className={css.error} title={lastError}>
      {failingSince !== null && (
        <>
          Held since <Moment at={failingSince} />:{' '}
        </>
      )}
      {lastError}
    </span>
  )
}

type OfChannel = { channel: Channel; title: string }

function Switch({ channel: { id, status }, title }: OfChannel) {
  const change = useSwitchChannel()
  const on = change.isPending ? change.variables.status : status
  return (
    <input
      type="checkbox"
      role="switch"
      className={field.switch}
      aria-label={`Send to ${title}`}
      aria-checked={on}
      checked={on}
      disabled={change.isPending}
      onChange={(event) => change.mutate({ id, status: event.target.checked })}
    />
  )
}

function Test({ channel: { id, confirmed }, title }: OfChannel) {
  const test = useTestChannel()
  const done = confirmed ? 'Sending a test message. The result appears under Last message.' : 'Sent the link again.'
  return (
    <Button
      size="small"
      aria-label={confirmed ? `Send a test to ${title}` : `Send the link to ${title} again`}
      disabled={test.isPending}
      onClick={() => test.mutate({ id }, { onSuccess: () => notifyInfo(done) })}
    >
      {confirmed ? 'Test' : 'Resend'}
    </Button>
  )
}
