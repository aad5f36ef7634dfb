import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { writeAtomically } from '../../durable.ts'
import type { Label } from '../label.ts'
import type { Db } from '../open.ts'
import { rowsOf, tablesOf } from './dump.ts'

/** The first line: the migrations that have run on the database. */
export const Head = z.object({ toolbox: z.array(z.string()) })
/** The last line, without which the file counts as incomplete; `sha256` is the hash of all lines before it. */
export const End = z.object({ rows: z.int(), sha256: z.optional(z.string()) })

/** How many bytes to read for the last line: more than it ever has. */
const tail = 200

/** Writes all rows of one moment, except tables in `without`, as JSON lines into a new file. Returns their number. */
export async function writeRows(db: Db, file: string, without: readonly string[] = []): Promise<{ rows: number }> {
  const count = { rows: 0 }
  await db.q
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((q) =>
      pipeline(
        Readable.from(rowsInLines({ ...db, q }, count, without)),
        createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
      ),
    )
  return count
}

/** Counts the rows in `count`. */
async function* rowsInLines(db: Db, count: { rows: number }, without: readonly string[]): AsyncIterable<string> {
  const { rows: migrations } = await sql<{ name: string }>`select name from migration order by name`.execute(db.q)
  const hash = createHash('sha256')
  const line = (value: unknown) => {
    const text = `${JSON.stringify(value)}\n`
    hash.update(text)
    return text
  }
  yield line({ toolbox: migrations.map(({ name }) => name) })
  for (const table of (await tablesOf(db)).filter((name) => !without.includes(name)))
    for await (const row of rowsOf(db, table)) {
      count.rows += 1
      yield line({ table, row })
    }
  yield `${JSON.stringify({ rows: count.rows, sha256: hash.digest('hex') } satisfies z.infer<typeof End>)}\n`
}

/** Implements `Backups.make` with rows as JSON lines, whose number it checks. */
export async function backUpRows(db: Db, file: string, without: readonly string[]): Promise<{ rows: number }> {
  let rows = 0
  await writeAtomically(file, async (part) => {
    ;({ rows } = await writeRows(db, part, without))
    const lines = await countLines(part)
    if (lines !== rows + 2) throw new Error(`${part} has ${lines} lines instead of ${rows + 2}.`)
  })
  return { rows }
}

/** Counts the lines of a file. Throws if one of them isn't JSON. */
async function countLines(file: string): Promise<number> {
  let [count, rest] = [0, '']
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) JSON.parse(text)
    count += lines.length
  }
  return count
}

/** Reads the label from the first and last line of a file; undefined if it doesn't contain rows of ours. */
export async function labelOfRows(file: string, size: number): Promise<Label | undefined> {
  const handle = await open(file)
  try {
    const start = Buffer.alloc(12)
    await handle.read(start, 0, start.length, 0)
    if (!start.toString().startsWith('{"toolbox":')) return undefined
    const end = Buffer.alloc(Math.min(tail, size))
    await handle.read(end, 0, end.length, size - end.length)
    const last = /\n(\{"rows":(?:0|[1-9]\d*)(?:,"sha256":"[\da-f]{64}")?\})\n$/.exec(end.toString('latin1'))?.[1]
    const trailer = End.safeParse(JSON.parse(last ?? 'null')).data
    return { rows: trailer?.rows ?? 0, isWhole: trailer !== undefined }
  } finally {
    await handle.close()
  }
}
