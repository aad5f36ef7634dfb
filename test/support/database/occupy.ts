import { sql } from 'kysely'
import type { Db, Queries } from '../../../src/platform/db/open.ts'

/** Has this many connections to PostgreSQL in use at once, until they are freed; answers the server's processes behind them. */
export async function occupy({ q }: Db, count: number) {
  const pids = new Set<number | undefined>()
  const all = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const use = async (connection: Queries) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
    pids.add(rows[0]?.pid)
    if (pids.size === count) all.resolve()
    await end.promise
  }
  const uses = Promise.all(Array.from({ length: count }, () => q.connection().execute(use)))
  await Promise.race([all.promise, uses])
  const free = async () => {
    end.resolve()
    await uses
  }
  return { pids, free }
}

/** Has this many connections open, which are idle then. */
export async function fill(db: Db, count: number) {
  const { pids, free } = await occupy(db, count)
  await free()
  return pids
}
