import DataLoader from 'dataloader'
import { type Compilable, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from './open.ts'
import { prepared } from './statements.ts'

type IsAsked = (column: string) => RawBuilder<SqlBool>

/**
 * A query by one text that every request makes, compiled once. The texts of one turn of the event loop share a query.
 * The row repeats its text as `asked`. Never pass a client's own text: one that fails would fail all of its turn.
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
  const query = prepared(
    build((column) => {
      const texts = sql.val(null)
      // PostgreSQL would plan an array that it can see anew each time, for as many texts as it holds.
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
