import { type Instant, type Milliseconds, seconds } from '../../shared/time.ts'
import type { Db } from '../db/open.ts'
import { laneStates, type Waiting, waitingWork } from '../queue/waiting.ts'
import { cached } from './cached.ts'
import type { Metrics } from './metrics.ts'

/** What waits to be done, by any instance on this database. The answer reads it, at most once in a few seconds. */
export function measureWork(
  metrics: Metrics,
  { db, now, elapsed }: { db: Db; now: () => Instant; elapsed: () => Milliseconds },
): () => Promise<{ at: Instant; kinds: readonly Waiting[] }> {
  const waiting = cached(elapsed, seconds(5), async () => ({ at: now(), ...(await waitingWork(db, now())) }))
  /** Once a kind has been due, it is 0 when it isn't. */
  const seen = new Set<string>()
  const byKind = async (count: (waiting: Waiting) => number) => {
    const { kinds } = await waiting()
    for (const { kind } of kinds) seen.add(kind)
    return [...seen].map((kind) => {
      const value = kinds.reduce((sum, one) => sum + (one.kind === kind ? count(one) : 0), 0)
      return { labels: { kind }, value }
    })
  }
  metrics.add(
    {
      name: 'toolbox_jobs_due',
      help: 'Jobs that are due and not yet begun, counted up to 10000.',
      read: () => byKind(({ due }) => due),
    },
    {
      name: 'toolbox_jobs_late',
      help: 'Jobs that have been due for more than 10 s and are not yet begun, counted up to 10000.',
      read: () => byKind(({ late }) => late),
    },
    {
      name: 'toolbox_jobs_oldest_due_seconds',
      help: 'How long the oldest of them has been due; 0 if there is none.',
      async read() {
        const { at, kinds } = await waiting()
        return [{ value: Math.max(0, ...kinds.map(({ oldest }) => at - oldest)) / 1_000 }]
      },
    },
    {
      name: 'toolbox_lanes',
      help: 'Lanes with work (a webhook or channel, whose messages go out one by one) by state: busy (sending), due (may be sent now) or waiting (for a limit or the next attempt).',
      async read() {
        const { lanes } = await waiting()
        return laneStates.map((state) => ({ labels: { state }, value: lanes[state] }))
      },
    },
  )
  return waiting
}
