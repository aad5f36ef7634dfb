import type { QueryKey } from '@tanstack/react-query'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { type Changes, hasChanged } from '../../data/changes.ts'

/** How many rows one call answers by their ids. */
const mostIds = 50
/** Between two times that a question is asked again because rows came or went. */
const refreshEvery: Milliseconds = seconds(5)

/** What is on screen when changes are told. */
export type Shown<Row extends { id: string } = { id: string }> = {
  /** The query of the rows. */
  queryKey: QueryKey
  rows: readonly Row[]
  /** Whether those are all rows of the list. */
  areAll: boolean
  /** Whether an edit may bring a row or take it away. */
  isByEdits?: boolean
}

type Calls = {
  /** Asks for these rows and puts them in their places; answers whether all of them are still there. */
  replace: (queryKey: QueryKey, ids: readonly string[]) => Promise<boolean>
  /** Asks the question of these rows again. */
  refresh: (queryKey: QueryKey) => void
}

/** Decides what is asked when rows change: those on screen, one call at a time, and the question only if rows came or went. */
export function createFollower({ replace, refresh }: Calls) {
  const refreshSometimes = atMostEvery(refreshEvery, refresh)
  const outdated = new Set<string>()
  let isAsking = false
  /** The query of what is on screen, which may be another page by the next call. */
  let latest: QueryKey = []

  async function replaceOutdated() {
    if (isAsking) return
    isAsking = true
    while (outdated.size > 0) {
      const queryKey = latest
      const ids = [...outdated].slice(0, mostIds)
      for (const id of ids) outdated.delete(id)
      // Rows that can't be loaded stay as they are; a lost connection is caught up on as a whole.
      const areThere = await replace(queryKey, ids).catch(() => true)
      if (!areThere) refreshSometimes.call(queryKey)
    }
    isAsking = false
  }

  return {
    follow(changes: Changes, { queryKey, rows, areAll, isByEdits = false }: Shown) {
      const changed = rows.filter(({ id }) => hasChanged(changes, id))
      const mayMove = changes.counts || (isByEdits && changes.edited) || (areAll && namesOthers(changes, rows))
      if (changed.length > mostIds || mayMove) refreshSometimes.call(queryKey)
      if (changed.length > mostIds) return
      latest = queryKey
      for (const { id } of changed) outdated.add(id)
      void replaceOutdated()
    },
    stop: refreshSometimes.stop,
  }
}

function namesOthers({ ids }: Changes, rows: readonly { id: string }[]): boolean {
  return ids?.some((beginning) => !rows.some(({ id }) => id.startsWith(beginning))) ?? false
}

/** Acts at once, and again only after this time, with the last input meanwhile. */
function atMostEvery<Input>(wait: Milliseconds, act: (input: Input) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let next: { input: Input } | undefined
  const call = (input: Input) => {
    if (timer !== undefined) {
      next = { input }
      return
    }
    act(input)
    timer = setTimeout(() => {
      timer = undefined
      const last = next
      next = undefined
      if (last) call(last.input)
    }, wait)
  }
  return { call, stop: () => clearTimeout(timer) }
}
