import { randomBytes } from 'node:crypto'
import { within } from '../../shared/async.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import type { Db } from '../db/open.ts'
import type { Unavailability } from '../db/unavailable.ts'
import type { Health } from '../health.ts'

const words: Record<Unavailability, string> = {
  unreachable: 'database',
  locked: 'locked',
  full: 'disk',
  disk: 'disk',
  damaged: 'database',
}
const tryEvery: Milliseconds = seconds(1)
/** PostgreSQL may find room for a check while other writes find none: these have to stop failing, too. */
const quietFor: Milliseconds = seconds(5)
/** A disk that is full may still have room for less. */
const roomToTry = 65_536
const triedRow = 'write check'

type Options = {
  db: Db
  /** Whether the schema is this program's. */
  isMigrated: (db: Db) => Promise<boolean>
  health: Pick<Health, 'standstill'>
  elapsed: () => Milliseconds
  /** No answer of the database is awaited for longer. */
  patience: Milliseconds
}

/** Answers in a word why this instance should get no requests; undefined when it should. */
export function readiness({ db, isMigrated, health, elapsed, patience }: Options): () => Promise<string | undefined> {
  let trying: Promise<unknown> | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  /** The disk took nothing, though a check has passed since then. */
  let passedAt: Milliseconds | undefined
  let wasDisk = false

  /** Writes a little and deletes it: only that tells whether what failed works again. */
  async function check() {
    if (trying || elapsed() - triedAt < tryEvery) return
    triedAt = elapsed()
    trying = db
      .check(() => tryToWrite(db))
      .catch(() => {})
      .finally(() => {
        trying = undefined
      })
    await within(patience, trying)
  }

  return async () => {
    const failed = db.failing()
    if (failed) {
      wasDisk = words[failed] === words.full
      passedAt = undefined
      await check()
    }
    const failing = db.failing()
    if (failing) return words[failing]
    if (wasDisk) {
      passedAt ??= elapsed()
      if (elapsed() - passedAt < quietFor) return words.full
      wasDisk = false
    }
    const migrated = await within(patience, isMigrated(db)).catch(() => undefined)
    if (migrated === undefined) return 'database'
    if (!migrated) return 'migrations'
    return health.standstill()
  }
}

/** Writes more than a nearly full disk has room for, and deletes it. Throws DatabaseUnavailable. */
export async function tryToWrite({ q }: Db) {
  const row = { key: triedRow, value: randomBytes(roomToTry / 2).toString('hex') }
  await q
    .insertInto('setting')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
  await q.deleteFrom('setting').where('key', '=', triedRow).execute()
}
