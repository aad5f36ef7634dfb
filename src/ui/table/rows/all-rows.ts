import { api } from '../../data/api.ts'
import { arrayInLines } from '../../data/array-in-lines.ts'
import { find, order } from '../column.ts'
import type { List } from '../list-state.ts'
import type { Source } from '../model.ts'
import { paramsOf, questionOf } from './question.ts'
import type { ServerList } from './use-rows.ts'

/** All rows that match the searches of a list, in their order: of a long list from the server, piece by piece. */
export async function* allRows<Row>(
  server: ServerList,
  list: List<Row>,
  source: Source<Row>,
  signal?: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  if (source.total === undefined) yield rowsHere(list, source)
  else yield* arrayInLines<Row>(`${server.path}?${askedOf(list, 'rows')}`, signal)
}

/** The ids of those rows. */
export async function allIds<Row extends { id: string }>(server: ServerList, list: List<Row>, source: Source<Row>) {
  if (source.total === undefined) return rowsHere(list, source).map(({ id }) => id)
  return (await api.get<string[]>(server.path, { params: askedOf(list, 'ids') })).data
}

const rowsHere = <Row>({ columns, state }: List<Row>, { rows = [] }: Source<Row>) =>
  order(find(rows, columns, state.filters), columns, state.sort)

function askedOf<Row>(list: List<Row>, all: 'rows' | 'ids'): URLSearchParams {
  const params = paramsOf(questionOf(list))
  for (const name of ['page', 'size']) params.delete(name)
  params.set('all', all)
  return params
}
