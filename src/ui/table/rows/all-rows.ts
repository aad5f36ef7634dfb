import { api, CallError } from '../../data/api.ts'
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

/** Reads a long array while it comes: each line of the answer has some of its items. By `fetch`, since nothing else reads on the way. */
export async function* arrayInLines<Item>(url: string, signal?: AbortSignal): AsyncGenerator<readonly Item[]> {
  const broken = () => {
    signal?.throwIfAborted()
    throw new CallError('Network Error')
  }
  const answer = await fetch(url, { signal: signal ?? null }).catch(broken)
  if (!answer.ok || !answer.body) {
    const data: unknown = await answer.json().catch(() => undefined)
    throw new CallError(`Request failed with status code ${answer.status}`, { status: answer.status, data })
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let begun = ''
  let head = '['
  for (;;) {
    const { done, value = '' } = await reader.read().catch(broken)
    const lines = (begun + value).split('\n')
    begun = done ? '' : (lines.pop() ?? '')
    if (done && !lines.at(-1)?.endsWith(']')) broken()
    for (const line of lines) {
      // Such as `[a,b,` or `c]`.
      yield JSON.parse(`[${line.slice(head.length, -1)}]`)
      head = ''
    }
    if (done) return
  }
}
