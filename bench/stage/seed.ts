import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { turnJob } from '../../src/entries/store.ts'
import type { Db } from '../../src/platform/db/open.ts'
import { mostStoredRuns } from '../../src/shared/list-terms.ts'
import { dayOf, type Instant, type Milliseconds, minutes } from '../../src/shared/time.ts'
import { hostAt } from './hosts.ts'

const batch = 5_000

/** Adds active keep-alive entries of one owner with the default interval; `hostOf` returns the host of the i-th. */
export async function seedEntries(db: Db, count: number, port: number, hostOf = hostAt): Promise<readonly string[]> {
  await db.q
    .insertInto('users')
    .values({
      id: 'owner',
      name: 'Owner',
      email: 'owner@example.com',
      email_verified: db.boolean(true),
      image: null,
      cred_username: null,
      status: 2,
      tags: '[]',
      roles: '{}',
      last_usage_timestamp: null,
      log_in_count: 0,
      created_at: new Date(0).toISOString(),
      updated_at: new Date(0).toISOString(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const entries = Array.from({ length: count }, (_, index) => ({
    ownerId: 'owner',
    url: `http://${hostOf(index)}:${port}/`,
    interval: null,
  }))
  return insertEntries(db, entries)
}

/** `interval` is in whole minutes; null stands for the configured default. */
export type SeededEntry = { ownerId: string; url: string; interval: number | null }

/** Adds active keep-alive entries without scheduled runs; returns their ids. */
export async function insertEntries(db: Db, entries: readonly SeededEntry[]): Promise<readonly string[]> {
  const records = entries.map(({ ownerId, ...settings }) => ({
    id: randomUUID(),
    owner_id: ownerId,
    settings: JSON.stringify(settings),
  }))
  const columns = { id: 'text', owner_id: 'text', settings: 'text' } as const
  for (let from = 0; from < records.length; from += batch) {
    await sql`insert into entry (id, tool, owner_id, status, settings, created_at, updated_at)
      select id, 'keepalive', owner_id, 1, settings, 0, 0
      from ${db.rows('entries', columns, records.slice(from, from + batch))} where true`.execute(db.q)
  }
  return records.map(({ id }) => id)
}

/** Schedules a run per entry, `spacing` ms apart. Deletes all other jobs first, unless `beside` is given. */
export async function planTurns(
  db: Db,
  ids: readonly string[],
  from: Instant,
  spacing: Milliseconds,
  beside?: 'beside others',
): Promise<void> {
  if (!beside) await sql`delete from job`.execute(db.q)
  await insertJobs(
    db,
    ids.map((id, index) => ({ id: turnJob(id), entry_id: id, due: Math.round(from + index * spacing) })),
  )
}

/** Adds due jobs of one entry, one for each of the last milliseconds before `now`. */
export async function seedDueJobs(db: Db, count: number, now: Instant): Promise<void> {
  const [entry_id] = await seedEntries(db, 1, 80)
  await insertJobs(
    db,
    Array.from({ length: count }, (_, index) => ({ id: turnJob(randomUUID()), entry_id, due: now - count + index })),
  )
  // In production autovacuum does this; without statistics PostgreSQL can't choose a good plan.
  await sql`analyze`.execute(db.q)
}

async function insertJobs(db: Db, turns: readonly object[]) {
  const columns = { id: 'text', entry_id: 'text', due: 'bigint' } as const
  for (let start = 0; start < turns.length; start += batch) {
    await sql`insert into job (id, kind, entry_id, turn_at, due_at, free_at)
      select id, 'turn', entry_id, due, due, due from ${db.rows('turns', columns, turns.slice(start, start + batch))}
      where true`.execute(db.q)
  }
}

/** Gives every entry a full history, round by round as in real operation: each new run replaces the oldest one. */
export async function seedRuns(db: Db, now: Instant): Promise<void> {
  const rounds = mostStoredRuns + 100
  const atOf = (round: number) => now - minutes(rounds - round)
  await db.q.transaction().execute(async (tx) => {
    for (let round = 0; round < rounds; round += 1) {
      await sql`insert into run (entry_id, at, success, duration)
        select id, ${atOf(round)}, 1, 12 from entry where true`.execute(tx)
      await sql`delete from run where at = ${atOf(round - mostStoredRuns)}
        and entry_id in (select id from entry)`.execute(tx)
    }
    await sql`insert into run_day (entry_id, day, ok, fail, ms_sum, ms_max)
      select id, ${dayOf(now)}, 200, 0, 2400, 12 from entry where true`.execute(tx)
    await sql`update entry set last_at = ${atOf(rounds - 1)}, last_success = 1, last_duration = 12`.execute(tx)
  })
}
