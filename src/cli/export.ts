import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import { isMigrated, migrationNames } from '../server/db/migrate.ts'
import type { Db } from '../server/db/open.ts'
import { type Command, onlyFile, withDatabase } from './context.ts'
import { rowsOf, tablesOf } from './rows.ts'

/** Writes every row of every table into FILE as JSON lines, as they are at one moment, from either database. */
export const exportRows: Command = async (args, context) => {
  const file = onlyFile(args, context)
  if (existsSync(file)) throw new Error(`${file} exists already.`)
  const part = `${file}.part`
  const count = { rows: 0 }
  try {
    await withDatabase(context, async (db) => {
      if (!(await isMigrated(db))) throw new Error('This database has another version: start the server on it first.')
      // Neither transaction keeps the server from writing.
      const begin = db.kind === 'sqlite' ? sql`begin` : sql`begin isolation level repeatable read read only`
      await db.q.connection().execute(async (q) => {
        await begin.execute(q)
        const lines = Readable.from(linesOf({ ...db, q }, count))
        await pipeline(lines, createWriteStream(part, { mode: 0o600, flush: true }))
        await sql`commit`.execute(q)
      })
    })
    renameSync(part, file)
  } finally {
    rmSync(part, { force: true })
  }
  context.say(`Wrote ${count.rows} rows into ${file}. Their secrets open only with the same APP_SECRET: keep that too.`)
}

/** A head that names the version, a line a row, and a last line without which the file counts as cut. */
async function* linesOf(db: Db, count: { rows: number }): AsyncIterable<string> {
  yield line({ toolbox: migrationNames })
  for (const table of await tablesOf(db))
    for await (const row of rowsOf(db.kind, db.q, table)) {
      count.rows += 1
      yield line({ table, row })
    }
  yield line({ rows: count.rows })
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`
