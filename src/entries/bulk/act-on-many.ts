import { setImmediate } from 'node:timers/promises'
import type { Context } from '../../platform/context.ts'
import { DatabaseUnavailable } from '../../platform/db/unavailable.ts'
import type { By } from '../../platform/http/access/actor.ts'
import { HttpError, invalid } from '../../shared/http-error.ts'
import { changeEntry, removeEntry, runEntryNow } from '../edit.ts'
import { entryStore, seesAll } from '../store.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'
import type { BulkAnswer, BulkBody } from './contract.ts'

/**
 * Does to each entry what the call for a single one does, one after the other in transactions of their own, so that
 * others never wait for all of them. What is done stays done; what isn't is said with its reason.
 */
export async function actOnMany(
  context: Context,
  tool: AnyEntryToolServer,
  by: By,
  body: BulkBody,
): Promise<BulkAnswer> {
  const act = await actOf(context, tool, by, body)
  const done: string[] = []
  const unchanged: string[] = []
  const refused: BulkAnswer['refused'] = []
  let isDown: DatabaseUnavailable | undefined
  for (const id of new Set(body.ids)) {
    // An embedded database answers without ever letting other requests in between.
    await setImmediate()
    try {
      if (isDown) throw isDown
      const result = await act(id)
      done.push(id)
      if (result?.unchanged) unchanged.push(id)
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        if (done.length === 0) throw error
        isDown = error
      }
      refused.push({ id, why: whyOf(context, error) })
    }
  }
  return { done, ...(unchanged.length > 0 && { unchanged }), refused }
}

/** Throws a 400 if this can't be done to any entry. */
async function actOf(
  context: Context,
  tool: AnyEntryToolServer,
  by: By,
  { act, owner }: BulkBody,
): Promise<(id: string) => Promise<{ unchanged?: boolean } | undefined>> {
  if (owner !== undefined && act !== 'give') throw invalid('owner', 'Use owner with the act give only.')
  if (act === 'run') {
    if (!tool.schedule) throw invalid('act', "These entries can't be run.")
    return async (id) => {
      await runEntryNow(context, tool, by.user, id)
      return undefined
    }
  }
  if (act === 'delete')
    return async (id) => {
      await removeEntry(context, tool, by, id)
      return undefined
    }
  if (act === 'give') {
    if (!seesAll(by.user)) throw invalid('act', 'Only users with Admin Access to the tools can give entries away.')
    if (owner === undefined) throw invalid('owner', "Enter the new owner's email.")
    await entryStore(context.db).ownerByEmail(owner)
    return (id) => changeEntry(context, tool, by, id, { owner })
  }
  return (id) => changeEntry(context, tool, by, id, { status: act === 'activate' })
}

function whyOf({ log }: Context, error: unknown): string {
  if (error instanceof HttpError || error instanceof DatabaseUnavailable) return error.message
  log.error({ err: error }, 'An entry among many could not be changed.')
  return 'Something went wrong.'
}
