import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { ownTabsFor } from '../../../people/pages/own-tabs.ts'
import { PageHead, Part } from '../../../ui/components/page.tsx'
import { SmallTable } from '../../../ui/components/small-table.tsx'
import { useSessionUser } from '../../../ui/data/session.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { channelsQuery, type EntryTool, kindsQuery } from './calls.ts'
import css from './channels.module.css'
import { FormButton } from './form-button.tsx'
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
          <FormButton tone="primary" tools={tools}>
            <Plus size={14} aria-hidden="true" />
            New channel
          </FormButton>
        </div>
        {channels?.length === 0 && (
          <>
            <p className={css.none}>
              No channels yet. Add one ({inWords(kinds.map(({ label }) => label))}) to get a message when an entry
              fails, recovers or is blocked. Everything is in your inbox too. For example, ntfy sends to your phone
              without an account: install its app and subscribe to the topic that the example fills in.
            </p>
            <div>
              <FormButton tools={tools} isExample>
                Fill in an example
              </FormButton>
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
