import type { Compilable } from 'kysely'
import type { Queries } from './open.ts'

/** A query by one text that every request asks: it is put together once, which costs more than asking it. */
export function lookUp<Row>(
  q: Queries,
  build: (text: string) => Compilable<Row>,
): (text: string) => Promise<Row | undefined> {
  const compiled = build('').compile()
  if (compiled.parameters.length !== 1) throw new Error('Only the text that is looked up may be a parameter.')
  return async (text) => (await q.executeQuery<Row>({ ...compiled, parameters: [text] })).rows[0]
}
