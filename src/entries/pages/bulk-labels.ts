import { formatCount } from '../../shared/count.ts'
import { type Outcome, outcomeNote } from '../../ui/table/selection/in-pieces.ts'
import type { Note } from '../../ui/toasts.ts'
import type { Act } from '../contract.ts'

const past: Record<Act, string> = {
  activate: 'activated',
  pause: 'paused',
  run: 'started',
  delete: 'deleted',
  give: 'given away',
}

/** `an entry`, `3 entries`. */
export const counted = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun}` : `${formatCount(count)} ${noun.replace(/y$/, 'ies')}`

/** What came of an act on many entries, as a toast. */
export const outcome = ({ act, owner }: { act: Act; owner?: string }, answer: Outcome): Note =>
  outcomeNote(act === 'give' && owner !== undefined ? `given to ${owner}` : past[act], answer)
