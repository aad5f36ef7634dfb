import { actOnEach } from '../platform/act-on-each.ts'
import type { Context } from '../platform/context.ts'
import { type Acting, actingIn, type By, byOf } from '../platform/http/access/actor.ts'
import { callerOf, guard } from '../platform/http/access/guard.ts'
import type { App, Caller } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { tooManyUrls, tooManyVisits } from '../platform/http/description/failures.ts'
import { conflict, conflictOf } from '../platform/http/errors.ts'
import { invalid } from '../shared/http-error.ts'
import type { BadgeAddresses } from './badges/addresses.ts'
import { renewBadge } from './badges/routes.ts'
import { type AnyEntryContract, type BulkAnswer, type BulkBody, entryCalls, recentRuns } from './contract.ts'
import { changeEntry, createEntry, removeEntry, runEntryNow } from './edit/edit.ts'
import { listRoutes } from './list/list.ts'
import { masked, masksFor, statsOf, toDetail } from './show.ts'
import { entryStore, seesAll } from './store.ts'
import type { AnyEntryToolServer } from './tool-server.ts'

const noEntry = 'Entry not found.'
const tooManyEntries = "You've reached the limit of 1,000 entries."

/** The calls of every tool with entries. Entries of others are a 404 for users without Tools 2. */
export function entryRoutes(app: App, tool: AnyEntryToolServer, context: Context & { badges: BadgeAddresses }) {
  const { contract } = tool
  const entries = entryStore(context.db)
  const route = routesOf(app, entryCalls<AnyEntryContract>(contract), contract.label, contract.id)

  const detail = async (id: string, caller: Caller, warning?: string) => {
    // Loaded before the entry, so that one that is deleted meanwhile is a 404.
    const extras = { ...(await tool.loadExtras?.([id], context))?.get(id), ...(await tool.loadDetail?.(id, context)) }
    const entry = await entries.get(contract.id, id, caller.user)
    const now = context.now()
    const history = await entries.history(id, now)
    const stats = statsOf(history, await entries.days(id), now)
    const recent = history.slice(0, recentRuns).map(({ timestamp, success }) => ({ timestamp, success }))
    const more = { history, stats, recent, changedAt: entry.updatedAt, ...(warning === undefined ? {} : { warning }) }
    const shown = toDetail(tool, entry, context)
    return {
      ...shown,
      ...masked(shown, masksFor(tool, caller)),
      ...extras,
      ...more,
      badge: await context.badges.of({ id, version: entry.badgeVersion }),
      changedBy: entry.changedBy,
      changedById: entry.changedById,
    }
  }

  listRoutes(app, tool, context)

  route(
    'POST /api/v1/:tool/bulk',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Activate, pause, run, delete or give away up to 1,000 entries',
      description: [
        'Each entry is treated as by the call for a single one, with the same limits; an entry that is named twice is',
        'treated once. What is refused is answered with its reason and holds up none of the others. To `give` entries',
        'to another `owner`, by email, takes Admin Access to the tools.',
      ].join(' '),
    },
    (request) => actOnMany(context, tool, actingIn(request), request.body),
  )

  route(
    'POST /api/v1/:tool/badge?id',
    {
      ...guard('Tools', 1, 'write'),
      summary: "Make a new address for an entry's badges",
      description: 'The old address stops working.',
      failures: { 404: noEntry },
    },
    async (request) => ({ badge: await renewBadge(context, contract.id, request.query.id, callerOf(request).user) }),
  )

  route(
    'GET /api/v1/:tool',
    { ...guard('Tools', 1, 'masked'), summary: 'Get an entry with its history', failures: { 404: noEntry } },
    (request) => detail(request.query.id, callerOf(request)),
  )

  route(
    'POST /api/v1/:tool/',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Create an entry',
      failures: { 404: noEntry, 409: tooManyEntries, 429: tooManyUrls },
    },
    async (request) => {
      const { id, warning } = await createEntry(context, tool, byOf(request), request.body)
      return detail(id, callerOf(request), warning)
    },
  )

  route(
    'PATCH /api/v1/:tool',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Update an entry',
      failures: { 404: noEntry, 409: 'Ada changed this entry in the meantime.', 429: tooManyUrls },
      answers: { 409: conflictOf(contract.Entry) },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { id, ...body } = request.body as { id: string }
      const { warning, outdated } = await changeEntry(context, tool, byOf(request), id, body)
      const entry = await detail(id, caller, warning)
      return outdated ? reply.code(409).send(conflict('entry', entry)) : entry
    },
  )

  route(
    'DELETE /api/v1/:tool',
    { ...guard('Tools', 1, 'write'), summary: 'Delete an entry and its history', failures: { 404: noEntry } },
    async (request) => {
      await removeEntry(context, tool, byOf(request), request.query.id)
      return { id: request.query.id }
    },
  )

  if (tool.schedule)
    route(
      'POST /api/v1/:tool/run?id',
      {
        ...guard('Tools', 1, 'write'),
        summary: 'Run an entry now, unless a run is already pending',
        failures: {
          404: noEntry,
          409: "The owner's account is not active, so this entry is paused.",
          429: ['Too many runs of this entry. Try again in 10 seconds.', tooManyVisits],
        },
      },
      async (request) => {
        const { id } = request.query
        return { id, ...(await runEntryNow(context, tool, callerOf(request).user, id)) }
      },
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
