import type { Channel, ChannelEvent } from '../../channels/contract.ts'

/** `label` is for the form, `short` for the table. */
export const eventLabels: Record<ChannelEvent, { label: string; short: string }> = {
  failing: { label: 'An entry is failing', short: 'failures' },
  recovered: { label: 'An entry has recovered', short: 'recoveries' },
  blocked: { label: 'A relay is blocked', short: 'blocked relays' },
  account: { label: 'New sign-ins and changes to my account', short: 'account' },
  operator: { label: 'Problems with this server', short: 'this server' },
}

/** `toolName` returns the label of a tool. */
export function summaryOf(channel: Channel, toolName: (id: string) => string): string {
  const { events, tools, entries, quiet, remindEvery } = channel
  const [first = '', ...others] = events.map((event) => eventLabels[event].short)
  const what = [first.charAt(0).toUpperCase() + first.slice(1), ...others].join(', ')
  const which = entries ? countOf(entries) : tools?.map(toolName).join(', ')
  return [
    which ? `${what} of ${which}` : what,
    ...(quiet ? [`quiet ${quiet.from}–${quiet.to}`] : []),
    ...(remindEvery === null ? [] : [`reminder every ${remindEvery} h`]),
  ].join(' · ')
}

const countOf = ({ length }: readonly string[]) => (length === 1 ? '1 entry' : `${length} entries`)
