import type { Query, QueryClient } from '@tanstack/react-query'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { isRefusal } from './api.ts'

/** What changed of one topic, such as the entries of a tool. */
export type Changes = {
  /** The rows that changed; undefined if they are too many to be named. */
  ids: readonly string[] | undefined
  /** Whether any did more than run. */
  edited: boolean
}

/**
 * What a query is about, of one topic or several. It is loaded again when the row with this id changes, or any row if
 * there is no id. What `outlastsRuns` isn't changed by a run.
 */
export type About = { topic: string | readonly string[]; id?: string; outlastsRuns?: true }

/** Whether the server has only ever refused to answer a query. */
export const wasRefused = ({ state: { data, error } }: Query): boolean => data === undefined && isRefusal(error)

/** What a query is about, so that a change may outdate it; not if it was refused: its screen has said so, and goes on from there. */
export const aboutOf = (query: Query): About | undefined => (wasRefused(query) ? undefined : query.meta?.about)

/** Milliseconds in which changes that come together are gathered. */
const together: Milliseconds = 250
/** Between two updates of what is on screen. */
const atLeast: Milliseconds = seconds(2)
/** Between two updates of a long list, for each of its rows: so it loads less than 300 kB a minute. */
const aRow: Milliseconds = 60
/** So long an answer may be one that the browser asked for before the program did. */
const preloaded: Milliseconds = seconds(10)

const sum = (a: Changes | undefined, b: Changes): Changes => ({
  ids: a === undefined ? b.ids : a.ids && b.ids && [...a.ids, ...b.ids],
  edited: a?.edited || b.edited,
})

const isOutdated = (about: About, topic: string, { ids, edited }: Changes) =>
  [about.topic].flat().includes(topic) &&
  (about.id === undefined || ids === undefined || ids.includes(about.id)) &&
  (edited || !about.outlastsRuns)

function rowsIn({ state: { data } }: Query): number {
  if (typeof data !== 'object' || data === null || !('rows' in data)) return 0
  return Array.isArray(data.rows) ? data.rows.length : 0
}

/** Loads again what changes outdate, at most every two seconds, and less often what is long. */
export function gatherChanges(client: QueryClient) {
  const gathered = new Map<string, Changes>()
  const outdated = new Set<Query>()
  const loadedAt = new WeakMap<Query, Milliseconds>()
  /** Changes seen while preloaded answers may still be used. */
  const early = new Map<string, Changes>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function isDue(query: Query): boolean {
    if (query.state.fetchStatus !== 'idle') return false
    const since = performance.now() - (loadedAt.get(query) ?? Number.NEGATIVE_INFINITY)
    return !query.isActive() || since >= aRow * rowsIn(query)
  }

  function outdate(query: Query, changed: ReadonlyMap<string, Changes>) {
    const about = aboutOf(query)
    if (about && [...changed].some(([topic, changes]) => isOutdated(about, topic, changes))) outdated.add(query)
  }

  function apply() {
    for (const query of client.getQueryCache().getAll()) outdate(query, gathered)
    gathered.clear()
    timer = outdated.size > 0 ? setTimeout(apply, atLeast) : undefined
    const due = new Set([...outdated].filter(isDue))
    for (const query of due) {
      outdated.delete(query)
      loadedAt.set(query, performance.now())
    }
    void client.invalidateQueries({ predicate: (query) => due.has(query) && !wasRefused(query) })
  }

  const ends = performance.now() + preloaded
  const unsubscribe = client.getQueryCache().subscribe(({ type, query }) => {
    if (performance.now() > ends) return unsubscribe()
    if (type !== 'added') return
    outdate(query, early)
    if (outdated.size > 0) timer ??= setTimeout(apply, atLeast)
  })

  return {
    add(topic: string, changes: Changes) {
      gathered.set(topic, sum(gathered.get(topic), changes))
      if (performance.now() <= ends) early.set(topic, sum(early.get(topic), changes))
      timer ??= setTimeout(apply, together)
    },
    stop() {
      clearTimeout(timer)
      unsubscribe()
    },
  }
}
