import { setImmediate } from 'node:timers/promises'
import { HttpError } from '../shared/http-error.ts'
import type { Context } from './context.ts'
import { DatabaseUnavailable } from './db/unavailable.ts'
import type { RecheckAccess } from './http/access/guard.ts'

/** Ids by outcome, in input order. `done` includes the `unchanged` ones; `refused` gives a reason for each id. */
type Outcome = { done: string[]; unchanged: string[]; refused: { id: string; why: string }[] }

/**
 * Calls `act` for each id, in its own transaction, so other requests never wait for the batch. After a failure or lost
 * access the id is refused, and earlier changes stay. Throws DatabaseUnavailable only if nothing was done.
 */
export async function forEachId(
  { log }: Pick<Context, 'log'>,
  recheckAccess: RecheckAccess,
  ids: readonly string[],
  act: (id: string) => Promise<{ unchanged?: boolean } | undefined>,
): Promise<Outcome> {
  const outcome: Outcome = { done: [], unchanged: [], refused: [] }
  let isDown: DatabaseUnavailable | undefined
  const whyOf = (error: unknown): string => {
    if (error instanceof HttpError || error instanceof DatabaseUnavailable) return error.message
    log.error({ err: error }, 'Failed to change one record of a bulk request')
    return 'Something went wrong.'
  }
  for (const id of new Set(ids)) {
    // Let other requests run: an embedded database answers without returning to the event loop.
    await setImmediate()
    try {
      if (isDown) throw isDown
      await recheckAccess()
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
