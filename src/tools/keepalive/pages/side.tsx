import { Suspense } from 'react'
import { NextRun } from '../../../entries/pages/history/next-run.tsx'
import type { Detail } from '../../../entries/pages/tool-pages.ts'
import { minutes } from '../../../shared/time.ts'
import { besides } from '../../../ui/navigation/idle.ts'
import { keepaliveNames } from '../terms.ts'
import type { Requests } from './advanced/requests.ts'
import { type Certificate, certificateWords } from './certificate.ts'

/** What tells when they end knows the time zones, which few entries need. */
const QuietNote = besides(async () => (await import('./quiet-note.tsx')).QuietNote)

type Pinged = Detail & Pick<Requests, 'quiet'> & { every: number; certificate: Certificate }

/** When an entry is pinged next, and what is known of its host's certificate. */
export function Schedule({ entry }: { entry: Pinged }) {
  const { quiet, certificate, nextRunAt } = entry
  return (
    <NextRun tool={keepaliveNames} entry={entry} interval={minutes(entry.every)}>
      {quiet && nextRunAt !== null && (
        <p>
          <Suspense fallback={'\u00a0'}>
            <QuietNote quiet={quiet} nextRunAt={nextRunAt} />
          </Suspense>
        </p>
      )}
      {certificate && <p>{certificateWords(certificate)}.</p>}
    </NextRun>
  )
}
