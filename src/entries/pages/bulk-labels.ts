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

export function bulkOutcomeNote({ act, owner }: { act: Act; owner?: string }, answer: Outcome): Note {
  if (answer.progress !== undefined) return outcomeNote('queued to run', answer)
  return outcomeNote(act === 'give' && owner !== undefined ? `given to ${owner}` : past[act], answer)
}

const mostNamed = 5

/** Names the first entries that are in `entries`, and counts the rest: `Shop, Search and 3 more`. */
export function namesOf(ids: readonly string[], entries: readonly Pick<Item, 'id' | 'name' | 'about'>[]): string {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const named = ids
    .flatMap((id) => byId.get(id) ?? [])
    .slice(0, mostNamed)
    .map(titleOf)
  const more = ids.length - named.length
  if (more === 0) return named.join(', ')
  return named.length === 0 ? '' : `${named.join(', ')} and ${formatCount(more)} more`
}
