import { formatCount } from '../../../shared/count.ts'
import type { Note } from '../../../ui/toasts.ts'
import type { Act, BulkAnswer } from '../../bulk/contract.ts'

const past: Record<Act, string> = {
  activate: 'activated',
  pause: 'paused',
  run: 'started',
  delete: 'deleted',
  give: 'given away',
}

/** Reasons that are listed; many entries rarely have more. */
const mostReasons = 5

/** `an entry`, `3 entries`. */
export const counted = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun}` : `${formatCount(count)} ${noun.replace(/y$/, 'ies')}`

/** What came of an act on many entries, as a toast. */
export function outcome(
  { act, owner }: { act: Act; owner?: string },
  { done, unchanged = [], refused }: BulkAnswer,
): Note {
  const said = act === 'give' && owner !== undefined ? `given to ${owner}` : past[act]
  const changed = done.length - unchanged.length
  const already = unchanged.length > 0 ? `, ${formatCount(unchanged.length)} already ${said}` : ''
  const isDone = `${formatCount(changed)} ${said}${already}`
  if (refused.length === 0) return { kind: 'success', message: `${isDone}.` }
  const reasons = [...Map.groupBy(refused, ({ why }) => why)].map(([why, { length }]) => ({ why, length }))
  const kind = done.length === 0 ? 'danger' : 'warning'
  const message = `${isDone}, ${formatCount(refused.length)} refused`
  const [only] = reasons
  if (only && reasons.length === 1) return { kind, message: `${message}: ${only.why}` }
  const lines = reasons.toSorted((a, b) => b.length - a.length).map(({ why, length }) => `${length} × ${why}`)
  return { kind, message: `${message}:`, lines: lines.slice(0, mostReasons) }
}
