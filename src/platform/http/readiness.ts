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
/** PostgreSQL may have room for a check but not for other writes, so those must have stopped failing, too. */
const quietFor: Milliseconds = seconds(5)
/** A full disk may still have room for less. */
const roomToTry = 65_536
const triedRow = 'write check'

type Options = {
  db: Db
  /** Whether the schema is the one this version needs. */
  isMigrated: (db: Db) => Promise<boolean>
  health: Pick<Health, 'standstill'>
  elapsed: () => Milliseconds
  /** The longest wait for an answer of the database. */
  patience: Milliseconds
}

/** Answers, in one word, why this instance should get no requests; undefined if it should. */
export function readiness({ db, isMigrated, health, elapsed, patience }: Options): () => Promise<string | undefined> {
  let trying: Promise<unknown> | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  /** When a check first succeeded after the disk was full. */
  let passedAt: Milliseconds | undefined
  let wasDisk = false

  /** Writes a little and deletes it again: only this shows whether writing works again. */
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

/** Writes more than a nearly full disk has room for, and deletes it again. Throws DatabaseUnavailable. */
export async function tryToWrite({ q }: Db) {
  const row = { key: triedRow, value: randomBytes(roomToTry / 2).toString('hex') }
  await q
    .insertInto('setting')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
  await q.deleteFrom('setting').where('key', '=', triedRow).execute()
}
