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
  return `${nouns.get(resource) ?? plain(resource)} ${verbs.get(action) ?? action}`
}

function plain(resource: string): string {
  const words = resource
    .replace(/^api:/, '')
    .replace(/[\W_]+/g, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What the log calls them; those that are runs as the history of every tool does. */
export const stateName: Readonly<Record<DeliveryState, string>> = {
  accepted: 'PENDING',
  delivered: 'SUCCESS',
  ignored: 'IGNORED',
  collapsed: 'DUPLICATE',
  held: 'FAIL',
}
export const stateMeaning: Readonly<Record<DeliveryState, string>> = {
  accepted: 'Waiting to be sent to Discord',
  delivered: 'Accepted by Discord',
  ignored: 'Filtered out, or the entry was inactive',
  collapsed: 'Duplicate of a recent event',
  held: 'Not accepted by Discord; waiting to be replayed',
}

/** `1 event`, `12 events`. */
export const eventCount = (count: number): string => (count === 1 ? '1 event' : `${count} events`)

/** How often Discord was called, if that says something. */
export function attemptsText({ state, attempts }: Pick<Delivery, 'state' | 'attempts'>): string | undefined {
  if (attempts > 0) return attempts === 1 ? '1 attempt' : `${attempts} attempts`
  return state === 'accepted' ? 'not tried yet' : undefined
}

/** An entry's newest deliveries; there may be older ones. */
export type Newest = { deliveries: readonly Delivery[]; areAll: boolean }

/** The label of the button that replays since an instant. */
export function sinceLabel({ deliveries, areAll }: Newest, since: number): string {
  const count = deliveries.filter(
    ({ state, receivedAt }) => receivedAt >= since && (state === 'delivered' || state === 'held'),
  ).length
  const oldest = deliveries.at(-1)
  const isWhole = areAll || (oldest !== undefined && oldest.receivedAt < since)
  return isWhole ? `Replay ${count}` : `Replay ${count} or more`
}
