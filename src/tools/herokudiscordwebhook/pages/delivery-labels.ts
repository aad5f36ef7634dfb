import type { Look } from '../../../ui/components/pill.tsx'
import type { Delivery, DeliveryState } from '../contract.ts'

const nouns = new Map([
  ['api:addon', 'Add-on'],
  ['api:addon-attachment', 'Add-on attachment'],
  ['api:sni-endpoint', 'Certificate'],
  ['api:ssl-endpoint', 'Certificate'],
  ['dyno', 'Dyno state'],
])
const verbs = new Map([
  ['create', 'created'],
  ['update', 'changed'],
  ['destroy', 'removed'],
])

/** The resource and action in plain words: `Release created`. */
export function eventName({ resource, action }: Pick<Delivery, 'resource' | 'action'>): string {
  if (resource === 'test') return 'Test message'
  return `${nouns.get(resource) ?? formatResource(resource)} ${verbs.get(action) ?? action}`
}

function formatResource(resource: string): string {
  const words = resource
    .replace(/^api:/, '')
    .replace(/[\W_]+/g, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The states in the log. Those that are runs have the same labels as in every tool's history. */
export const states: Readonly<Record<DeliveryState, { label: string; look: Look; hint: string }>> = {
  accepted: { label: 'PENDING', look: 'busy', hint: 'Waiting to be sent to Discord' },
  delivered: { label: 'SUCCESS', look: 'ok', hint: 'Accepted by Discord' },
  ignored: { label: 'IGNORED', look: 'off', hint: 'Filtered out, or the entry was inactive' },
  collapsed: { label: 'DUPLICATE', look: 'off', hint: 'Duplicate of a recent event' },
  held: { label: 'FAIL', look: 'bad', hint: 'Not accepted by Discord; waiting to be replayed' },
}

export const eventCount = (count: number): string => (count === 1 ? '1 event' : `${count} events`)

/** The notice about a new test message; `waiting` is how many events are sent before it. */
export const testNotice = (waiting: number): string =>
  waiting === 0
    ? 'Test message sent.'
    : `Test message queued. ${eventCount(waiting)} waiting for Discord will be sent first.`

export function attemptsText({ state, attempts }: Pick<Delivery, 'state' | 'attempts'>): string | undefined {
  if (attempts > 0) return attempts === 1 ? '1 attempt' : `${attempts} attempts`
  return state === 'accepted' ? 'not tried yet' : undefined
}

/** An entry's newest deliveries. `areAll`: there are no older ones. */
export type Newest = { deliveries: readonly Delivery[]; areAll: boolean }

export function sinceLabel({ deliveries, areAll }: Newest, since: number): string {
  const count = deliveries.filter(
    ({ state, receivedAt }) => receivedAt >= since && (state === 'delivered' || state === 'held'),
  ).length
  const oldest = deliveries.at(-1)
  const isWhole = areAll || (oldest !== undefined && oldest.receivedAt < since)
  return isWhole ? `Replay ${count}` : `Replay ${count} or more`
}
