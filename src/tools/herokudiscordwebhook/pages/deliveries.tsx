import type { Relay } from './relay.ts'

/** What became of each event of this entry. */
export function Deliveries(_props: { entry: Relay }) {
  return null
}
