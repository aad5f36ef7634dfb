import { cpSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, inject } from 'vitest'
import type { Db, Queries } from '../../../src/platform/db/open.ts'
import { openPostgres } from '../../../src/platform/db/postgres/open.ts'
import { unboundedLimits } from '../../../src/platform/db/postgres/pool.ts'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { type Milliseconds, minutes } from '../../../src/shared/time.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { testRun } from '../test-run.ts'
import { migratedPostgres } from './reused-postgres.ts'

/** For tests whose behavior may differ by database, such as its SQL. */
export const bothDialects = ['sqlite', 'postgres'] as const
export type Dialect = (typeof bothDialects)[number]
/** For all other flows: SQLite in the usual run; the whole run adds PostgreSQL. */
export const dialects: readonly Dialect[] = {
  usual: ['sqlite'] as const,
  beyond: ['postgres'] as const,
  all: bothDialects,
}[testRun()]
/** For races, which SQLite's single writer prevents: PostgreSQL in the usual run; the whole run adds SQLite. */
export const racingDialects: readonly Dialect[] = {
  usual: ['postgres'] as const,
  beyond: ['sqlite'] as const,
  all: bothDialects,
}[testRun()]

type Opened = { db: Db; url: string | undefined; folder?: string; drop: () => Promise<void> }

/** A new, migrated database: an SQLite file in `folder`, or one on the run's PostgreSQL server, at `url`. */
export async function freshDatabase(dialect: Dialect, options?: { lockTimeout: Milliseconds }): Promise<Opened> {
  return dialect === 'sqlite' ? openFile(options) : openServer()
}

async function openFile(options?: { lockTimeout: Milliseconds }) {
  const folder = temporaryFolder()
  cpSync(inject('migrated').sqlite, folder, { recursive: true })
  const db = openSqlite(folder, options)
  // As with fsync=off on PostgreSQL: no test depends on data surviving a crash of the machine.
  await sql`pragma synchronous = off`.execute(db.q)
  return { db, url: undefined, folder, drop: db.close }
}

async function openServer() {
  const { url, drop: dropDatabase } = await migratedPostgres()
  // A test whose process is held up for long is slow, not wrong.
  const db = openPostgres(url, { limits: { ...unboundedLimits, connect: minutes(5) } })
  const drop = async () => {
    await db.close()
    await dropDatabase()
  }
  return { db, url, drop }
}

export async function insertUser(db: Db, id: string, status = 2): Promise<void> {
  const at = db.kind === 'sqlite' ? new Date(0).toISOString() : new Date(0)
  await db.q
    .insertInto('users')
    .values({
      id,
      name: id,
      email: `${id}@example.com`,
      email_verified: db.kind === 'sqlite' ? 1 : true,
      status,
      tags: '[]',
      roles: '{"Admin":0,"Tools":1}',
      log_in_count: 0,
      created_at: at,
      updated_at: at,
    } as never)
    .execute()
}

export async function insertEntry(db: Db, id: string, ownerId: string, tool = 'keepalive'): Promise<void> {
  await db.q
    .insertInto('entry')
    .values({ id, tool, owner_id: ownerId, status: 1, settings: '{}', created_at: 0, updated_at: 0, address: null })
    .execute()
}

/** Changes the stored settings of an entry, such as to those of an older version. */
export async function changeSettings(db: Db, id: string, change: (settings: ReturnType<typeof JSON.parse>) => object) {
  const entry = await db.q.selectFrom('entry').select('settings').where('id', '=', id).executeTakeFirstOrThrow()
  const settings = JSON.stringify(change(JSON.parse(entry.settings)))
  await db.q.updateTable('entry').set({ settings }).where('id', '=', id).execute()
}

/** Resolves once a connection to this PostgreSQL database waits for a lock, or `call` has ended. Returns which. */
export async function waitForLock(q: Queries, call?: Promise<unknown>): Promise<'waiting' | 'ended'> {
  let hasEnded = false
  const end = () => {
    hasEnded = true
  }
  call?.then(end, end)
  const isWaiting = async () => {
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await waiting.execute(q)).rows.length > 0
  }
  await expect.poll(async () => hasEnded || (await isWaiting()), { interval: 10 }).toBe(true)
  return hasEnded ? 'ended' : 'waiting'
}
