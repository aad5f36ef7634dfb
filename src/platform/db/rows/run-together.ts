import type { CompiledQuery, RawBuilder } from 'kysely'
import type { Db, Queries } from '../open.ts'
import { together } from '../sqlite/together.ts'

/** Runs statements of a transaction one after the other, and one more that answers rows. On SQLite this is one message to the thread that writes. */
export async function runTogether<Row>(
  { kind }: Pick<Db, 'kind'>,
  tx: Queries,
  statements: readonly RawBuilder<unknown>[],
  last: RawBuilder<Row>,
): Promise<Row[]> {
  const before = statements.map((statement) => statement.compile(tx))
  const run = async (query: CompiledQuery<Row>) => (await tx.executeQuery(query)).rows
  if (kind === 'sqlite') return run(together([...before, last.compile(tx)]))
  for (const statement of before) await tx.executeQuery(statement)
  return run(last.compile(tx))
}
