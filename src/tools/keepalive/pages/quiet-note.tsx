import { quietUntil } from '../../../shared/quiet-until.ts'
import { useWords } from '../../../ui/clock.ts'
import { formatSince } from '../../../ui/format-time.ts'
import { timeNow } from '../../../ui/time-now.ts'
import { quietLabel, type Requests } from './requests.ts'

export function QuietNote({ quiet, nextRunAt }: { quiet: NonNullable<Requests['quiet']>; nextRunAt: number }) {
  return useWords(nextRunAt, () => {
    const until = quietUntil(quiet, timeNow())
    return until === undefined ? `Quiet ${quietLabel(quiet)}.` : `Quiet until ${formatSince(until)}.`
  })
}
