import { setTimeout as after } from 'node:timers/promises'
import { perHost } from '../../src/platform/jobs/worker/timer-queue.ts'
import { hours, type Milliseconds, minutes, seconds } from '../../src/shared/time.ts'
import { hostAt } from '../stage/hosts.ts'
import { preciseNow, quantile } from '../stage/measure.ts'
import { openScene } from '../stage/scene.ts'
import { planTurns, seedEntries } from '../stage/seed.ts'
import { atMost, type Row } from '../table.ts'

/** Number of entries that share one host, due before all others. */
const sharedHostEntries = 200
const answerAfter = seconds(0.9)
/** Ten entries a second are due during the catch-up and must be on time. */
const onTime = { count: 300, every: seconds(0.1), lateBy: seconds(1) }
/** A longer backlog is only watched for this time. */
const watchFor = seconds(40)

/** Measures the catch-up after a long stop. Hosts answer after 0.9 s; 200 overdue entries share one of them. */
export async function overdue(): Promise<Row[]> {
  return [
    ...(await catchUp(1_000, seconds(30))),
    ...(await catchUp(6_000, seconds(60))),
    ...(await catchUp(100_000, minutes(5))),
  ]
}

async function catchUp(apart: number, within: Milliseconds): Promise<Row[]> {
  const scene = await openScene()
  try {
    const first = apart + 1
    const hostOf = (index: number) => {
      if (index < sharedHostEntries) return hostAt(apart)
      return hostAt(index < sharedHostEntries + apart ? index - sharedHostEntries : index - sharedHostEntries + 1)
    }
    const due = new Map<number, number>()
    const startAfter = seconds(5)
    await scene.prepare(async (db) => {
      const ids = await seedEntries(db, sharedHostEntries + apart + onTime.count, scene.port, hostOf)
      await planTurns(db, ids.slice(0, sharedHostEntries + apart), Date.now() - hours(2), 1)
      const from = preciseNow() + startAfter
      await planTurns(db, ids.slice(sharedHostEntries + apart), from, onTime.every, 'beside others')
      for (let index = 0; index < onTime.count; index += 1) due.set(first + index, from + index * onTime.every)
    })
    await scene.target.ask('answerAfter', answerAfter)
    const program = await scene.program('28m')
    const began = Date.now()
    await program.ask('work')
    const visited = new Set<number>()
    const lateness: Milliseconds[] = []
    let mostAtOnce = 0
    let took = 0
    while (took < Math.min(within * 1.5, watchFor) && (visited.size < apart || lateness.length < onTime.count)) {
      await after(100)
      const taken = await scene.target.ask('take')
      for (const { index, at } of taken.seen) {
        if (index < apart) visited.add(index)
        if (index >= first) lateness.push(at - due.get(index)!)
      }
      mostAtOnce = Math.max(mostAtOnce, taken.mostAtOnce)
      if (visited.size < apart) took = Date.now() - began
    }
    await program.ask('stop')
    program.end()
    const whole = (took / visited.size) * apart
    const count = apart.toLocaleString('en')
    const measured = `${visited.size.toLocaleString('en')} of them within ${Math.round(took / 1_000)} s`
    return [
      atMost(`${count} overdue entries`, whole / 1_000, within / 1_000, 's', measured),
      atMost(`beside ${count} overdue entries: lateness p99`, quantile(lateness, 0.99), onTime.lateBy, 'ms', 'on time'),
      atMost(`beside ${count} overdue entries: visits at once to a host`, mostAtOnce, perHost, 'visits', ''),
    ]
  } finally {
    scene.close()
  }
}
