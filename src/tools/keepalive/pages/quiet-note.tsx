import { quietUntil } from '../../../shared/quiet-until.ts'
import { useTimeDependent } from '../../../ui/clock.ts'
import { formatSince } from '../../../ui/format-time.ts'
import { timeNow } from '../../../ui/time-now.ts'
import { type AdvancedSettings, quietLabel } from './requests.ts'

export function QuietNote({ quiet, nextRunAt }: { quiet: NonNullable<AdvancedSettings['quiet']>; nextRunAt: number }) {
  return useTimeDependent(nextRunAt, () => {
    const until = quietUntil(quiet, timeNow())
    return until === undefined ? `Quiet ${quietLabel(quiet)}.` : `Quiet until ${formatSince(until)}.`
  })
}
