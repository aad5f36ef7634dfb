import { NextRun } from '../../../entries/pages/history/next-run.tsx'
import type { Detail } from '../../../entries/pages/tool-pages.ts'
import { quietUntil } from '../../../shared/quiet-until.ts'
import { minutes } from '../../../shared/time.ts'
import { useWords } from '../../../ui/clock.ts'
import { zoneHere } from '../../../ui/form/quiet/quiet-hours.ts'
import { formatSince } from '../../../ui/format-time.ts'
import { keepaliveTool } from '../tool.ts'
import type { Requests } from './advanced/requests.ts'
import { quietWords } from './advanced/words.ts'
import { type Certificate, certificateWords } from './certificate.ts'

type Pinged = Detail & Pick<Requests, 'quiet'> & { every: number; certificate: Certificate }

/** When an entry is pinged next, and what is known of its host's certificate. */
export function Schedule({ entry }: { entry: Pinged }) {
  const { quiet, certificate, nextRunAt } = entry
  const hours = useWords(quiet && nextRunAt, () => (quiet ? whenQuiet(quiet) : ''))
  return (
    <NextRun tool={keepaliveTool} entry={entry} interval={minutes(entry.every)}>
      {hours && <p>{hours}</p>}
      {certificate && <p>{certificateWords(certificate)}.</p>}
    </NextRun>
  )
}

function whenQuiet(quiet: NonNullable<Requests['quiet']>): string {
  const until = quietUntil(quiet, Date.now())
  return until === undefined ? `Quiet ${quietWords(quiet, zoneHere())}.` : `Quiet until ${formatSince(until)}.`
}
