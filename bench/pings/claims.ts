import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { migrate } from '../../src/migrations.ts'
import type { Db } from '../../src/platform/db/open.ts'
import { openPostgres } from '../../src/platform/db/postgres/open.ts'
import { openSqlite } from '../../src/platform/db/sqlite/open.ts'
import { jobs } from '../../src/platform/jobs/jobs.ts'
import { type Instant, minutes } from '../../src/shared/time.ts'
import { startPostgres } from '../../test/support/database/start-postgres.ts'
import { preciseNow } from '../stage/measure.ts'
import { seedDueJobs } from '../stage/seed.ts'
import { atLeast, formatFigure, type Row } from '../table.ts'

const due = 100_000
const atOnce = 500
const lease = minutes(1)
/** The minimum share of a bare prepared loop's pace that must remain with lanes, leases and locks. */
const leastOfBare = 0.55

/** Claims up to 500 due rows; returns how many it claimed. */
type Claimer = () => Promise<number>

/** Compares claiming 100,000 due rows, 500 at a time, with the minimal statement that marks and returns these rows. */
export async function claims(): Promise<Row[]> {
  return [await onSqlite(), await onPostgres()]
}

async function onSqlite(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-bench-'))
  const db = openSqlite(folder)
  const holder = randomUUID()
  const second = new DatabaseSync(join(folder, 'toolbox.db'))
  try {
    await migrate(db)
    second.exec('pragma synchronous = full')
    const bare = second.prepare(`update job set free_at = ?, lease_by = ?
      where id in (select id from job where free_at <= ? order by free_at limit ${atOnce})
      returning id, kind, entry_id, lane, payload, turn_at, due_at, attempt`)
    return await compare(db, holder, (now) => async () => bare.all(now + lease, holder, now).length)
  } finally {
    second.close()
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function onPostgres(): Promise<Row> {
  const { url, stop } = await startPostgres([])
  const db = openPostgres(url)
  const holder = randomUUID()
  const client = new pg.Client({ connectionString: url })
  try {
    await migrate(db)
    await client.connect()
    const text = `update job set free_at = $1, lease_by = $2
      where id = any (array(select id from job where free_at <= $3 order by free_at limit ${atOnce}))
      returning id, kind, entry_id, lane, payload, turn_at, due_at, attempt`
    const bare = (now: Instant) => async () =>
      (await client.query({ name: 'bare', text, values: [now + lease, holder, now] })).rows.length
    return await compare(db, holder, bare)
  } finally {
    await client.end()
    await db.close()
    await stop()
  }
}

async function compare(db: Db, holder: string, bare: (now: Instant) => Claimer): Promise<Row> {
  const now = Date.now()
  await seedDueJobs(db, due, now)
  const mine = jobs(db, holder, Date.now)
  const claimers = { ours: async () => (await mine.claim(now, lease, atOnce)).length, bare: bare(now) }
  const claimed = { ours: 0, bare: 0 }
  const took = { ours: 0, bare: 0 }
  // Alternate, so that other load on the machine affects both equally.
  while (claimed.ours + claimed.bare < due) {
    for (const one of ['bare', 'ours'] as const) {
      const began = preciseNow()
      claimed[one] += await claimers[one]()
      took[one] += preciseNow() - began
    }
  }
  const pace = (one: keyof typeof claimed) => (claimed[one] / took[one]) * 1_000
  return atLeast(
    `claims, ${db.kind}`,
    pace('ours') / pace('bare'),
    leastOfBare,
    '× bare',
    `${formatFigure(pace('ours'))} rows/s; bare ${formatFigure(pace('bare'))} rows/s`,
  )
}
