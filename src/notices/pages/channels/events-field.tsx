import { CheckList } from '../../../ui/form/check-list.tsx'
import type { Draft } from '../../../ui/form/draft.ts'
import type { ChannelEvent } from '../../channels/contract.ts'
import type { Values } from './values.ts'
import { eventWords } from './words.ts'

const everybodys: ChannelEvent[] = ['failing', 'recovered', 'blocked', 'account']

/** What a channel tells; trouble of the server only to admins who run it. */
export function EventsField({ draft, isAdmin }: { draft: Draft<Values>; isAdmin: boolean }) {
  const { events } = draft.values
  const offered: ChannelEvent[] = isAdmin || events.includes('operator') ? [...everybodys, 'operator'] : everybodys
  return (
    <CheckList
      label="Tell me when"
      options={offered.map((value) => ({ value, label: eventWords[value].label }))}
      chosen={events}
      error={draft.errors.events}
      onChange={(chosen) => draft.set('events', chosen)}
    />
  )
}
