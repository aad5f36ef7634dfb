import { setImmediate } from 'node:timers/promises'
import { HttpError } from '../shared/http-error.ts'
import type { Context } from './context.ts'
import { DatabaseUnavailable } from './db/unavailable.ts'
import type { InsistStill } from './http/access/guard.ts'

/** What was done, in the order of the ids, what of that was so already, and what was refused, with its reason. */
type Outcome = { done: string[]; unchanged: string[]; refused: { id: string; why: string }[] }

/**
 * Acts on each, one after the other in transactions of their own, so that others never wait for all of them. What is done
 * stays done; what isn't is said with its reason, also once the caller may no longer do it.
 */
export async function actOnEach(
  { log }: Pick<Context, 'log'>,
  insistStill: InsistStill,
  ids: readonly string[],
  act: (id: string) => Promise<{ unchanged?: boolean } | undefined>,
): Promise<Outcome> {
  const outcome: Outcome = { done: [], unchanged: [], refused: [] }
  let isDown: DatabaseUnavailable | undefined
  const whyOf = (error: unknown): string => {
    if (error instanceof HttpError || error instanceof DatabaseUnavailable) return error.message
    log.error({ err: error }, 'One of many could not be changed.')
    return 'Something went wrong.'
  }
  for (const id of new Set(ids)) {
    // An embedded database answers without ever letting other requests in between.
    await setImmediate()
    try {
      if (isDown) throw isDown
      await insistStill()
      const result = await act(id)
      outcome.done.push(id)
      if (result?.unchanged) outcome.unchanged.push(id)
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        if (outcome.done.length === 0) throw error
        isDown = error
      }
      outcome.refused.push({ id, why: whyOf(error) })
    }
  }
  return outcome
}
