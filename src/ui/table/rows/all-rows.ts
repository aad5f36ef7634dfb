import { api } from '../../data/api.ts'
import { find, order } from '../column.ts'
import type { List } from '../list-state.ts'
import type { Source } from '../model.ts'
import { type Answer, paramsOf, questionOf } from './question.ts'
import { type ServerList, timeZone } from './use-rows.ts'

/** How many rows one call answers. */
const atOnce = 200

/** All rows that match the searches of a list, in their order, piece by piece: of a long list from the server. */
export async function* allRows<Row extends { id: string }>(
  server: ServerList,
  list: List<Row>,
  source: Source<Row>,
  signal?: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  const { columns, state } = list
  if (source.total === undefined) {
    yield order(find(source.rows ?? [], columns, state.filters), columns, state.sort)
    return
  }
  // A row that comes meanwhile moves the others, so that one may be answered twice.
  const seen = new Set<string>()
  for (let page = 1; ; page++) {
    const params = paramsOf({ ...questionOf(list), page, size: atOnce }, timeZone)
    const { rows } = (await api.get<Answer<Row>>(server.path, { params, ...(signal && { signal }) })).data
    yield rows.filter(({ id }) => !seen.has(id))
    for (const { id } of rows) seen.add(id)
    if (rows.length < atOnce) return
  }
}
