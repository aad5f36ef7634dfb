import { formatCount } from '../../../shared/count.ts'
import { KeptBack, reason } from '../../data/api.ts'
import { queryClient } from '../../data/query.ts'
import { sessionQuery } from '../../data/session.ts'
import type { Note } from '../../toasts.ts'

/** Few enough that the user sees progress, and that no proxy on the way times out. */
const usual = 100
/** Reasons that are listed; many rows rarely have more. */
const mostReasons = 5

/** What was done, what of that was so already, what was edited and when, and what was refused. */
export type Outcome = {
  done: readonly string[]
  unchanged?: readonly string[] | undefined
  updatedAt?: Readonly<Record<string, number>> | undefined
  /** Set if not all of it begins at once. */
  progress?: string | undefined
  refused: readonly { id: string; why: string }[]
}

const userNow = () => queryClient.getQueryData(sessionQuery.queryKey)?.id

/**
 * Acts on many, some at a time; once something is done, a call that fails is a reason like any other. Nothing goes on, or is
 * said, in the name of another user than the one who asked.
 */
export async function actInPieces(
  ids: readonly string[],
  act: (ids: string[]) => Promise<Outcome>,
  onProgress: (count: number) => void,
  atOnce = usual,
): Promise<Required<Outcome>> {
  const done: string[] = []
  const unchanged: string[] = []
  let updatedAt: Record<string, number> = {}
  let progress: string | undefined
  const refused: { id: string; why: string }[] = []
  const user = userNow()
  for (let at = 0; at < ids.length; at += atOnce) {
    const some = ids.slice(at, at + atOnce)
    try {
      const answer = await act(some)
      if (userNow() !== user) throw new KeptBack('')
      done.push(...answer.done)
      unchanged.push(...(answer.unchanged ?? []))
      updatedAt = { ...updatedAt, ...answer.updatedAt }
      progress = answer.progress ?? progress
      refused.push(...answer.refused)
    } catch (error) {
      if (userNow() !== user) throw new KeptBack('')
      if (done.length === 0) throw error
      refused.push(...ids.slice(at).map((id) => ({ id, why: reason(error) })))
      break
    }
    onProgress(at + some.length)
  }
  return { done, unchanged, updatedAt, progress, refused }
}

/** What came of it, as a toast; `said` is the act as done, such as `paused`. */
export function outcomeNote(said: string, { done, unchanged = [], refused }: Outcome): Note {
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
