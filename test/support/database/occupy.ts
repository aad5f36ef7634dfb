import { sql } from 'kysely'
import type { Db, Queries } from '../../../src/platform/db/open.ts'

/** Keeps this many PostgreSQL connections in use until `free` is called. `pids` are their server processes. */
export async function occupyConnections({ q }: Db, count: number) {
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

export async function openConnections(db: Db, count: number) {
  const { pids, free } = await occupyConnections(db, count)
  await free()
  return pids
}
