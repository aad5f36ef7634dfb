import { setTimeout as after } from 'node:timers/promises'
import { perHost } from '../src/platform/queue/worker/host-limiter.ts'
import { hours, seconds } from '../src/shared/time.ts'
import { hostAt } from './hosts.ts'
import { openScene } from './scene.ts'
import { planTurns, seedEntries } from './seed.ts'
import { atMost, type Row } from './table.ts'

const apart = 1_000
const together = 200
const answerAfter = seconds(0.9)
const longest = seconds(60)

/** After a long stop: 1,000 overdue entries on hosts of their own, and 200 more that share one host. */
export async function overdue(): Promise<Row[]> {
  const scene = await openScene()
  try {
    // The shared host's entries are the oldest, so that all of them come before the others do.
    const hostOf = (index: number) => hostAt(index < together ? apart : index - together)
    await scene.prepare(async (db) => {
      const ids = await seedEntries(db, apart + together, scene.port, hostOf)
      await planTurns(db, ids, Date.now() - hours(2), 1)
    })
    await scene.target.ask('answerAfter', answerAfter)
    const program = await scene.program('28m')
    const began = Date.now()
    await program.ask('work')
    const visited = new Set<number>()
    let mostAtOnce = 0
    let shared = 0
    let took = longest * 2
    while (Date.now() - began < longest * 1.5 && took > longest) {
      await after(100)
      const taken = await scene.target.ask('take')
      for (const { index } of taken.seen) if (index < apart) visited.add(index)
      shared += taken.seen.filter(({ index }) => index === apart).length
      mostAtOnce = Math.max(mostAtOnce, taken.mostAtOnce)
      if (visited.size === apart) took = Date.now() - began
    }
    await program.ask('stop')
    program.end()
    const seen = `${visited.size} hosts that answer after 0.9 s; ${shared} of ${together} visits to the shared one`
    return [
      atMost('1,000 overdue entries', took / 1_000, longest / 1_000, 's', seen),
      atMost('visits at once to a host', mostAtOnce, perHost, 'visits', ''),
    ]
  } finally {
    scene.close()
  }
}
