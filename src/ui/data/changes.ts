import type { Query, QueryClient } from '@tanstack/react-query'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { isRefusal } from './api.ts'

/** Changes within one topic, such as the entries of a tool. */
export type Changes = {
  /** The changed rows; undefined if there are too many to list. */
  ids: readonly string[] | undefined
  /** Whether any change was more than a run. */
  edited: boolean
}

/** A query's topics and, if it shows a single row, the row's `id`. With `outlastsRuns`, runs don't outdate it. */
export type ChangeTopics = { topic: string | readonly string[]; id?: string; outlastsRuns?: true }

/** Whether a query has no data because the server refused it. */
export const wasRefused = ({ state: { data, error } }: Query): boolean => data === undefined && isRefusal(error)

/** The topics whose changes outdate a query; undefined if it was refused, because its screen handles the refusal. */
export const changeTopicsOf = (query: Query): ChangeTopics | undefined =>
  wasRefused(query) ? undefined : query.meta?.about

/** How long changes are gathered before the first update. */
const gatherDelay: Milliseconds = 250
/** Minimum time between two updates of the screen. */
const minUpdateInterval: Milliseconds = seconds(2)
/** Minimum time per row between two updates of a long list, which keeps it below 300 kB a minute. */
const minIntervalPerRow: Milliseconds = 60
/** How long a response may still come from a request that the browser preloaded before the app started. */
const preloadWindow: Milliseconds = seconds(10)

const sum = (a: Changes | undefined, b: Changes): Changes => ({
  ids: a === undefined ? b.ids : a.ids && b.ids && [...a.ids, ...b.ids],
  edited: a?.edited || b.edited,
})

const isOutdated = (about: ChangeTopics, topic: string, { ids, edited }: Changes) =>
  [about.topic].flat().includes(topic) &&
  (about.id === undefined || ids === undefined || ids.includes(about.id)) &&
  (edited || !about.outlastsRuns)

function rowsIn({ state: { data } }: Query): number {
  if (typeof data !== 'object' || data === null || !('rows' in data)) return 0
  return Array.isArray(data.rows) ? data.rows.length : 0
}

/** Reloads outdated queries at most every two seconds, and long lists less often. */
export function gatherChanges(client: QueryClient) {
  const gathered = new Map<string, Changes>()
  const outdated = new Set<Query>()
  const loadedAt = new WeakMap<Query, Milliseconds>()
  /** Changes received while preloaded responses may still be used. */
  const early = new Map<string, Changes>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function isDue(query: Query): boolean {
    if (query.state.fetchStatus !== 'idle') return false
    const since = performance.now() - (loadedAt.get(query) ?? Number.NEGATIVE_INFINITY)
    return !query.isActive() || since >= minIntervalPerRow * rowsIn(query)
  }

  function outdate(query: Query, changed: ReadonlyMap<string, Changes>) {
    const about = changeTopicsOf(query)
    if (about && [...changed].some(([topic, changes]) => isOutdated(about, topic, changes))) outdated.add(query)
  }

  function apply() {
    for (const query of client.getQueryCache().getAll()) outdate(query, gathered)
    gathered.clear()
    timer = outdated.size > 0 ? setTimeout(apply, minUpdateInterval) : undefined
    const due = new Set([...outdated].filter(isDue))
    for (const query of due) {
      outdated.delete(query)
      loadedAt.set(query, performance.now())
    }
    void client.invalidateQueries({ predicate: (query) => due.has(query) && !wasRefused(query) })
  }

  const ends = performance.now() + preloadWindow
  const unsubscribe = client.getQueryCache().subscribe(({ type, query }) => {
    if (performance.now() > ends) return unsubscribe()
    if (type !== 'added') return
    outdate(query, early)
    if (outdated.size > 0) timer ??= setTimeout(apply, minUpdateInterval)
  })

  return {
    add(topic: string, changes: Changes) {
      gathered.set(topic, sum(gathered.get(topic), changes))
      if (performance.now() <= ends) early.set(topic, sum(early.get(topic), changes))
      timer ??= setTimeout(apply, gatherDelay)
    },
    stop() {
      clearTimeout(timer)
      unsubscribe()
    },
  }
}
