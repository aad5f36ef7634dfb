import type { Query, QueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { statusOf } from './api.ts'

/** What changed of one topic, such as the entries of a tool. */
export type Changes = {
  /** Of the rows that changed, or how these begin; null if they are too many to be named. */
  ids: readonly string[] | null
  /** Whether rows came or went. */
  counts: boolean
  /** Whether any did more than run. */
  edited: boolean
}

/**
 * What a query is about, of one topic or several. It is loaded again when the row with this id changes, or any row if
 * there is no id. The rows of a list are only marked as outdated: whoever shows them asks for those that changed. What
 * `outlastsRuns` isn't changed by a run.
 */
export type About = { topic: string | readonly string[]; id?: string; areRows?: true; outlastsRuns?: true }

const listeners = new Map<string, Set<(changes: Changes) => void>>()

/** Hears of changes to a topic, at most once a second; undefined is no topic. */
export function useChanges(topic: string | undefined, onChanges: (changes: Changes) => void) {
  const hear = useEffectEvent(onChanges)
  useEffect(() => {
    if (topic === undefined) return
    const listener = (changes: Changes) => hear(changes)
    const ofTopic = listeners.get(topic) ?? new Set()
    listeners.set(topic, ofTopic.add(listener))
    return () => void ofTopic.delete(listener)
  }, [topic])
}

/** Whether this row is among those that changed. */
export const hasChanged = ({ ids }: Changes, id: string): boolean =>
  ids === null || ids.some((beginning) => id.startsWith(beginning))

/** Whether the server refused to answer a query, as it would again; not if it was busy. */
export const wasRefused = ({ state: { data, error } }: Query): boolean => {
  const status = statusOf(error) ?? 500
  return data === undefined && status >= 400 && status < 500 && status !== 429
}

/** What a query is about, so that a change may outdate it; not if it was refused: its screen has said so, and goes on from there. */
export const aboutOf = (query: Query): About | undefined => (wasRefused(query) ? undefined : query.meta?.about)

function applyChanges(client: QueryClient, topic: string, changes: Changes) {
  const isOutdated = ({ topic: of, id, outlastsRuns }: About) =>
    [of].flat().includes(topic) && (id === undefined || hasChanged(changes, id)) && (changes.edited || !outlastsRuns)
  const outdated = (areRows: boolean) => (query: Query) => {
    const about = aboutOf(query)
    return about !== undefined && (about.areRows ?? false) === areRows && isOutdated(about)
  }
  void client.invalidateQueries({ predicate: outdated(true), refetchType: 'none' })
  void client.invalidateQueries({ predicate: outdated(false) })
  for (const listener of listeners.get(topic) ?? []) listener(changes)
}

/** Milliseconds in which changes that come together are gathered. */
const together: Milliseconds = 250
/** Between two updates of what is on screen. */
const atLeast: Milliseconds = seconds(1)

const sum = (a: Changes, b: Changes): Changes => ({
  ids: a.ids && b.ids && [...new Set([...a.ids, ...b.ids])],
  counts: a.counts || b.counts,
  edited: a.edited || b.edited,
})

/** Updates what is on screen at most once a second, by all changes that were added meanwhile. */
export function gatherChanges(client: QueryClient) {
  const gathered = new Map<string, Changes>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const apply = () => {
    timer = gathered.size > 0 ? setTimeout(apply, atLeast) : undefined
    const all = [...gathered]
    gathered.clear()
    for (const [topic, changes] of all) applyChanges(client, topic, changes)
  }
  return {
    add(topic: string, changes: Changes) {
      gathered.set(topic, sum(gathered.get(topic) ?? { ids: [], counts: false, edited: false }, changes))
      timer ??= setTimeout(apply, together)
    },
    stop: () => clearTimeout(timer),
  }
}
