import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { emptyQueue } from '../../../test/support/scenes/queue-scene.ts'
import { hours, minutes } from '../../shared/time.ts'
import type { Job } from './job.ts'
import type { Jobs } from './jobs.ts'
import { shiftJobs } from './worker/steady-clock.ts'

const database = await emptyQueue('postgres')
const ids = ['a', 'b', 'c']
const verdicts = ids.map((id) => ({ id, turnAt: id === 'c' ? null : 900, dueAt: 900, attempt: 0 }))
const step = { by: hours(1), since: 10 }

test.each([
  ['when leases are renewed', (jobs: Jobs, leased: readonly Job[]) => jobs.extend(leased, 900)],
  ['when they are finished', (jobs: Jobs) => database.db.q.transaction().execute((tx) => jobs.finish(verdicts, tx))],
  ['when they are released', (jobs: Jobs) => jobs.release(500)],
  ['when a clock was set', () => database.db.q.transaction().execute((tx) => shiftJobs(database.db, tx, step, 20))],
])('jobs are locked in descending order of ids %s, so that transactions never deadlock', async (_when, work) => {
  const jobs = database.instance(() => 0)
  for (const id of ids) await jobs.plan({ id, kind: 'turn', entryId: 'e', dueAt: 10 })
  const leased = await jobs.claim(10, minutes(1), 5)
  await database.db.q
    .updateTable('job')
    .set({ free_at: hours(5), planned_at: 15 })
    .execute()
  let done: Promise<unknown> = Promise.resolve()
  await database.db.q.transaction().execute(async (tx) => {
    const lock = (id: string) => tx.selectFrom('job').select('id').where('id', '=', id).forUpdate().execute()
    await lock('c')
    done = work(jobs, leased)
    await expect.poll(waiting, { interval: 5 }).toBe(1)
    await lock('a')
  })
  await done
})

const waiting = async () => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db.q)
  return rows[0]?.n
}
