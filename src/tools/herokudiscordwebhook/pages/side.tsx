import { Deliveries } from './deliveries.tsx'
import { Reach } from './reach.tsx'
import type { Relay } from './relay.ts'
import { State } from './state.tsx'

/** How to connect Heroku stands first as long as that is what is left to do. */
export const Side = ({ entry }: { entry: Relay }) => (
  <>
    <State entry={entry} />
    {entry.connectedAt === null && <Reach entry={entry} />}
    <Deliveries entry={entry} />
  </>
)

export const ReachAgain = ({ entry }: { entry: Relay }) => entry.connectedAt !== null && <Reach entry={entry} />
