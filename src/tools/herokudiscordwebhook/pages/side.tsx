import { Deliveries } from './deliveries.tsx'
import type { Relay } from './relay.ts'

export const Side = ({ entry }: { entry: Relay }) => <Deliveries entry={entry} />
