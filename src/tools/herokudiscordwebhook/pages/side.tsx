import { Deliveries } from './deliveries.tsx'
import type { Relay } from './relay.ts'
import { State } from './state.tsx'

export const Side = ({ entry }: { entry: Relay }) => (
  <>
    <State entry={entry} />
    <Deliveries entry={entry} />
  </>
)
