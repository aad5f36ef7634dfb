import { formatCount } from '../../shared/count.ts'
import { titleOf } from '../../shared/title.ts'
import { type Outcome, outcomeNote } from '../../ui/table/selection/batches.ts'
import type { Note } from '../../ui/toasts.ts'
import type { Act } from '../contract.ts'
import type { Item } from './tool-pages.ts'

const past: Record<Act, string> = {
  activate: 'activated',
  pause: 'paused',
  run: 'started',
  delete: 'deleted',
  give: 'given away',
}

/** Returns `1 entry` or `3 entries`, for example. */
export const pluralize = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun}` : `${formatCount(count)} ${noun.replace(/y$/, 'ies')}`

/** Names the entry if it is the only one and is in `entries`. */
export function bulkOutcomeNote(
  { act, owner }: { act: Act; owner?: string },
  answer: Outcome,
  entries: readonly Named[] = [],
): Note {
  const { done, unchanged = [], refused, progress } = answer
  const pastAct = act === 'give' && owner !== undefined ? `given to ${owner}` : past[act]
  const pastTense = progress === undefined ? pastAct : 'queued to run'
  const name = done.length === 1 && unchanged.length + refused.length === 0 ? namesOf(done, entries) : ''
  return name ? { kind: 'success', message: `${name} ${pastTense}.` } : outcomeNote(pastTense, answer)
}

type Named = Pick<Item, 'id' | 'name' | 'about'>

const mostNamed = 5

/** Names the first entries that are in `entries`, and counts the rest: `Shop, Search and 3 more`. */
export function namesOf(ids: readonly string[], entries: readonly Named[]): string {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const named = ids
    .flatMap((id) => byId.get(id) ?? [])
    .slice(0, mostNamed)
    .map(titleOf)
  const more = ids.length - named.length
  if (more === 0) return named.join(', ')
  return named.length === 0 ? '' : `${named.join(', ')} and ${formatCount(more)} more`
}
