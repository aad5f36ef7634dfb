import { type Milliseconds, seconds } from '../../shared/time.ts'
import { isMigrated } from '../db/migrate.ts'
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
/** A disk that is full may still have room for less. */
const roomToTry = 65_536
const triedRow = 'write check'

type Options = {
  db: Db
  health: Pick<Health, 'standstill'>
  elapsed: () => Milliseconds
  /** No answer of the database is awaited for longer. */
  patience: Milliseconds
}

/** Answers in a word why this instance should get no requests; undefined when it should. */
export function readiness({ db, health, elapsed, patience }: Options): () => Promise<string | undefined> {
  let trying: Promise<unknown> | undefined
  let triedAt = Number.NEGATIVE_INFINITY

  /** Writes a little where the last write failed: without traffic nobody else would notice that it works again. */
  async function tryWriting() {
    if (trying || elapsed() - triedAt < tryEvery) return
    triedAt = elapsed()
    trying = writeAndDelete(db)
      .catch(() => {})
      .finally(() => {
        trying = undefined
      })
    await within(patience, trying).catch(() => {})
  }

  return async () => {
    if (db.failing()) await tryWriting()
    const failing = db.failing()
    if (failing) return words[failing]
    try {
      if (!(await within(patience, isMigrated(db)))) return 'migrations'
    } catch {
      return 'database'
    }
    return health.standstill()
  }
}

async function writeAndDelete({ q }: Db) {
  const row = { key: triedRow, value: ' '.repeat(roomToTry) }
  await q
    .insertInto('setting')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
  await q.deleteFrom('setting').where('key', '=', triedRow).execute()
}

function within<T>(patience: Milliseconds, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`No answer within ${patience} ms.`)), patience)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
