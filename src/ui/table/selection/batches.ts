import { formatCount } from '../../../shared/count.ts'
import { CallCanceled, reason } from '../../data/api.ts'
import { queryClient } from '../../data/query.ts'
import { sessionQuery } from '../../data/session.ts'
import type { Note } from '../../toasts.ts'

/** Items per call: few enough to show progress and to avoid proxy timeouts. */
const defaultBatchSize = 100
/** The maximum number of reasons listed; even many rows rarely have more. */
const mostReasons = 5

/** The ids done, those of them that needed no change, the instant of each edit by id, and the ids refused. */
export type Outcome = {
  done: readonly string[]
  unchanged?: readonly string[] | undefined
  updatedAt?: Readonly<Record<string, number>> | undefined
  /** The id of the progress record; set if some runs have to wait. */
  progress?: string | undefined
  refused: readonly { id: string; why: string }[]
}

const currentUserId = () => queryClient.getQueryData(sessionQuery.queryKey)?.id

/** A failed batch refuses all remaining ids, or throws if none is done yet. Throws `CallCanceled` if the user changes. */
export async function runInBatches(
  ids: readonly string[],
  act: (ids: string[]) => Promise<Outcome>,
  onProgress: (count: number) => void,
  batchSize = defaultBatchSize,
): Promise<Required<Outcome>> {
  const done: string[] = []
  const unchanged: string[] = []
  let updatedAt: Record<string, number> = {}
  let progress: string | undefined
  const refused: { id: string; why: string }[] = []
  const user = currentUserId()
  for (let at = 0; at < ids.length; at += batchSize) {
    const batch = ids.slice(at, at + batchSize)
    try {
      const answer = await act(batch)
      if (currentUserId() !== user) throw new CallCanceled('')
      done.push(...answer.done)
      unchanged.push(...(answer.unchanged ?? []))
      updatedAt = { ...updatedAt, ...answer.updatedAt }
      progress = answer.progress ?? progress
      refused.push(...answer.refused)
    } catch (error) {
      if (currentUserId() !== user) throw new CallCanceled('')
      if (done.length === 0) throw error
      refused.push(...ids.slice(at).map((id) => ({ id, why: reason(error) })))
      break
    }
    onProgress(at + batch.length)
  }
  return { done, unchanged, updatedAt, progress, refused }
}

/** A toast that reports the outcome; `pastTense` names the action, such as `paused`. */
export function outcomeNote(pastTense: string, { done, unchanged = [], refused }: Outcome): Note {
  const changed = done.length - unchanged.length
  const already = unchanged.length > 0 ? `, ${formatCount(unchanged.length)} already ${pastTense}` : ''
  const isDone = `${formatCount(changed)} ${pastTense}${already}`
  if (refused.length === 0) return { kind: 'success', message: `${isDone}.` }
  const reasons = [...Map.groupBy(refused, ({ why }) => why)].map(([why, { length }]) => ({ why, length }))
  const kind = done.length === 0 ? 'danger' : 'warning'
  const message = `${isDone}, ${formatCount(refused.length)} refused`
  const [only] = reasons
  if (only && reasons.length === 1) return { kind, message: `${message}: ${only.why}` }
  const lines = reasons.toSorted((a, b) => b.length - a.length).map(({ why, length }) => `${length} × ${why}`)
  return { kind, message: `${message}:`, lines: lines.slice(0, mostReasons) }
}
