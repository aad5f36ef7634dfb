import { createHash } from 'node:crypto'
import DataLoader from 'dataloader'
import { type Compilable, CompiledQuery, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Queries } from './open.ts'

/** A query with the name under which PostgreSQL prepares it; SQLite connections recognize statements by their text. */
export type Prepared = CompiledQuery & { name: string }

const names = new Map<string, string>()

/**
 * Prepares a frequent query with constant text: planning takes longer than a look-up by key. The plan is kept while the
 * tables grow, so it must not depend on their size: a look-up for each row of a list belongs in a subquery.
 */
export function prepare<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  const name = names.get(query.sql) ?? createHash('sha256').update(query.sql).digest('base64url').slice(0, 22)
  names.set(query.sql, name)
  const named: CompiledQuery<Row> & Prepared = { ...query, name }
  return named
}

export type Pipeline = { statements: readonly CompiledQuery[] }

type Statement<Row> = RawBuilder<Row> | CompiledQuery<Row>

/** Runs independent statements in order and in one round trip, which takes longer than a short statement. */
export async function pipeline<const Rows extends readonly unknown[]>(
  tx: Queries,
  statements: { [Index in keyof Rows]: Statement<Rows[Index]> },
): Promise<{ -readonly [Index in keyof Rows]: Rows[Index][] }> {
  const compiled = (statements as readonly Statement<unknown>[]).map((one) =>
    'compile' in one ? one.compile(tx) : one,
  )
  const query: CompiledQuery & Pipeline = { ...CompiledQuery.raw('several statements'), statements: compiled }
  const { rows } = await tx.executeQuery(query)
  return rows as never
}

export type Repeated = { isRepeated: true }
/** The number of the row that one run of a repeated statement added; 0 if it changed nothing. */
export type Added = number | bigint

/** A statement that SQLite runs once per list of values. They go as one message, which costs more than a statement. */
export const repeated = (text: string, lists: readonly (readonly unknown[])[]): CompiledQuery<Added> & Repeated => ({
  ...CompiledQuery.raw(text, [...lists]),
  isRepeated: true,
})

type IsAsked = (column: string) => RawBuilder<SqlBool>

/**
 * A frequent query that finds a row by one text; look-ups in one turn of the event loop share it. The row repeats its
 * text as `asked`. Never pass text that a client chose: if it fails, it fails all look-ups of its turn.
 */
export function lookUp<Row extends { asked: string }>(
  db: Db,
  build: (isAsked: IsAsked) => Compilable<Row>,
): (text: string) => Promise<Row | undefined> {
  const ask = compiled(db, build)
  const loader = new DataLoader(
    async (texts: readonly string[]) => {
      const found = new Map((await ask([...new Set(texts)])).map((row) => [row.asked, row]))
      return texts.map((text) => found.get(text))
    },
    { cache: false, batchScheduleFn: setImmediate },
  )
  return (text) => loader.load(text)
}

function compiled<Row>({ kind, q }: Db, build: (isAsked: IsAsked) => Compilable<Row>) {
  const isPostgres = kind === 'postgres'
  const query = prepare(
    build((column) => {
      const texts = sql.val(null)
      // The subquery hides the array from PostgreSQL's planner, which would plan again for each number of texts.
      return isPostgres
        ? sql`${sql.ref(column)} = any(array(select unnest(${texts}::text[])))`
        : sql`${sql.ref(column)} in (select value from json_each(${texts}))`
    }).compile(),
  )
  if (query.parameters.length !== 1) throw new Error('Only the text that is looked up may change.')
  return async (texts: readonly string[]): Promise<Row[]> => {
    const { rows } = await q.executeQuery<Row>({ ...query, parameters: [isPostgres ? texts : JSON.stringify(texts)] })
    return rows
  }
}
