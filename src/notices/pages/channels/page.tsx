import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { ownTabsFor } from '../../../people/pages/own-tabs.ts'
import { Button } from '../../../ui/components/button.tsx'
import { PageHead, Part } from '../../../ui/components/page/page.tsx'
import { SmallTable } from '../../../ui/components/small-table.tsx'
import { useSessionUser } from '../../../ui/data/session.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { channelsQuery, type EntryTool, kindsQuery } from './calls.ts'
import { useChannelModal } from './channel-dialog.ts'
import css from './channels.module.css'
import { ChannelRow } from './row.tsx'

/** How the user is told what happens, besides the inbox. */
export function ChannelsPage({ tools }: { tools: readonly EntryTool[] }) {
  useTitle('Channels')
  const tabs = ownTabsFor(useSessionUser())
  const { data: channels } = useQuery(channelsQuery)
  const { data: kinds = [] } = useQuery(kindsQuery)
  return (
    <>
      <PageHead title="Channels" tabs={tabs} tabsLabel="Your account">
        Get a message when something fails or recovers
      </PageHead>
      <Part aria-label="Channels">
        <div className={css.head}>
          <h2>Your channels</h2>
          <NewChannel tools={tools} />
        </div>
        {channels?.length === 0 && (
          <>
            <p className={css.none}>
              No channels yet. Add one ({inWords(kinds.map(({ label }) => label))}) to get a message when an entry
              fails, recovers or is blocked. Everything is in your inbox too. For example, ntfy sends to your phone
              without an account: install its app and subscribe to the topic that the example fills in.
            </p>
            <div>
              <NewChannel tools={tools} isExample />
            </div>
          </>
        )}
        {channels && channels.length > 0 && (
          <SmallTable heads={['Name', 'Kind', 'Sends', 'Last message', 'On']} act="Change">
            {channels.map((channel) => (
              <ChannelRow key={channel.id} channel={channel} kinds={kinds} tools={tools} />
            ))}
          </SmallTable>
        )}
      </Part>
    </>
  )
}

const inWords = (labels: readonly string[]) =>
  labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} or ${labels.at(-1)}`

/** Opens the form: blank, or with an example filled in. */
function NewChannel({ tools, isExample = false }: { tools: readonly EntryTool[]; isExample?: boolean }) {
  const { Dialog, open, close, opener } = useChannelModal()
  const [turn, setTurn] = useState(0)
  return (
    <>
      <Button
        tone={isExample ? 'plain' : 'primary'}
        size="small"
        {...opener}
        onClick={() => {
          // Each time the form is blank.
          setTurn(turn + 1)
          opener.onClick()
        }}
      >
        {!isExample && <Plus size={14} aria-hidden="true" />}
        {isExample ? 'Fill in an example' : 'New channel'}
      </Button>
      {Dialog && (
        <Dialog key={turn} open={open} tools={tools} channel={undefined} isExample={isExample} onClose={close} />
      )}
    </>
  )
}
