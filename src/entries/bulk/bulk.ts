import { actOnEach } from '../../platform/act-on-each.ts'
import type { Context } from '../../platform/context.ts'
import { type Acting, actingIn, type By } from '../../platform/http/access/actor.ts'
import { guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { invalid } from '../../shared/http-error.ts'
import { changeEntry, removeEntry, runEntryNow } from '../edit/edit.ts'
import { entryStore, seesAll } from '../store.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'
import { BulkAnswer, BulkBody } from './contract.ts'

/** Work on many entries of a tool. */
export function bulkRoutes(app: App, tool: AnyEntryToolServer, context: Context) {
  const { path, label } = tool.contract
  app.post(
    `${path}/bulk`,
    {
      ...guard('Tools', 1, 'write'),
      schema: {
        tags: [label],
        summary: 'Activate, pause, run, delete or give away up to 1,000 entries',
        description: [
          'Each entry is treated as by the call for a single one, with the same limits; an entry that is named twice is',
          'treated once. What is refused is answered with its reason and holds up none of the others. To `give` entries',
          'to another `owner`, by email, takes Admin Access to the tools.',
        ].join(' '),
        body: BulkBody,
        response: { 200: BulkAnswer },
      },
    },
    (request) => actOnMany(context, tool, actingIn(request), request.body),
  )
}

/** Does to each entry what the call for a single one does. */
async function actOnMany(
  context: Context,
  tool: AnyEntryToolServer,
  { insistStill, ...by }: Acting,
  body: BulkBody,
): Promise<BulkAnswer> {
  const act = await actOf(context, tool, by, body)
  const { done, unchanged, refused } = await actOnEach(context, insistStill, body.ids, act)
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
