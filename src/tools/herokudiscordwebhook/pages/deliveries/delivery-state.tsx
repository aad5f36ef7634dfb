import { StatusPill } from '../../../../ui/components/pill.tsx'
import type { DeliveryState } from '../../contract.ts'
import { stateMeaning, stateName } from './delivery-words.ts'

const looks = { accepted: 'busy', delivered: 'ok', ignored: 'off', collapsed: 'off', held: 'bad' } as const

/** What has become of a delivery: its word, with a colour. */
export const StatePill = ({ state }: { state: DeliveryState }) => (
  <span title={stateMeaning[state]}>
    <StatusPill look={looks[state]} text={stateName[state]} />
  </span>
)
