import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import { type ListColumn, textColumn } from '../platform/db/list/columns.ts'
import type { Db } from '../platform/db/open.ts'
import type { Tables } from '../platform/db/tables.ts'
import { forEachId } from '../platform/for-each-id.ts'
import {
  type ActingUser,
  type ActingUserWithRecheck,
  actingUserOf,
  actingUserWithRecheck,
} from '../platform/http/access/actor.ts'
import { callerOf, guard } from '../platform/http/access/guard.ts'
import type { App, Caller } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { conflict, conflictOf } from '../platform/http/errors.ts'
import { HttpError, invalid } from '../shared/http-error.ts'
import { mostFound } from '../shared/schemas/bulk.ts'
import type { Instant } from '../shared/time.ts'
import type { BadgeAddresses } from './badges/addresses.ts'
import { renewBadge } from './badges/routes.ts'
import {
  type AnyEntryContract,
  type BulkAnswer,
  type BulkBody,
  crossToolCalls,
  entryCalls,
  type Found,
  recentRuns,
} from './contract.ts'
import { changeEntry, createEntry, editedMeanwhileMessage, removeEntry, runEntryNow } from './edit/edit.ts'
import { pastRuns } from './health/uptime.ts'
import { listRoutes, searchColumn } from './list/list.ts'
import { bulkRun } from './runs/run-batches.ts'
import { maskFields, masksFor, statsOf, toDetail } from './show.ts'
import { canSeeAll, entryStore, visibleTo } from './store.ts'
import type { AnyEntryToolServer } from './tool-server.ts'

/** Other users' entries are a 404 for users without Tools 2. */
export function entryRoutes(app: App, tool: AnyEntryToolServer, context: Context & { badges: BadgeAddresses }) {
  const { contract } = tool
  const entries = entryStore(context.db)
  const route = routesOf(app, entryCalls<AnyEntryContract>(contract), contract.label, contract.id)

  const detail = async (id: string, caller: Caller, warning?: string) => {
    // Load these before the entry, so that an entry deleted in the meantime is a 404.
    const extras = { ...(await tool.loadExtras?.([id], context))?.get(id), ...(await tool.loadDetail?.(id, context)) }
    const entry = await entries.get(contract.id, id, caller.user)
    const now = context.now()
    const history = await entries.history(id, now)
    const stats = statsOf(history, await entries.days(id), now)
    const recent = pastRuns(history, now)
      .slice(0, recentRuns)
      .map(({ timestamp, success }) => ({ timestamp, success }))
    const more = { history, stats, recent, changedAt: entry.updatedAt, ...(warning === undefined ? {} : { warning }) }
    const fields = toDetail(tool, entry, context)
    return {
      ...fields,
      ...maskFields(fields, masksFor(tool, caller)),
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
        'Each entry is handled like a call for that entry alone, with the same limits; duplicate IDs count once.',
        'A rejected entry is returned with the reason and does not affect the others.',
        'If there are more runs than Run now may start at once, they start one after another.',
        'To `give` entries to another `owner`, by email, requires Admin Access to the tools.',
      ].join(' '),
    },
    (request) => bulkAct(context, tool, actingUserWithRecheck(request), request.body),
  )

  route(
    'POST /api/v1/:tool/badge?id',
    {
      ...guard('Tools', 1, 'write'),
      summary: "Give an entry's badges a new address",
      description: 'The old address stops working.',
      failures: [404],
    },
    async (request) => ({ badge: await renewBadge(context, contract.id, request.query.id, callerOf(request).user) }),
  )

  route(
    'GET /api/v1/:tool',
    { ...guard('Tools', 1, 'masked'), summary: 'Get an entry with its history', failures: [404] },
    (request) => detail(request.query.id, callerOf(request)),
  )

  route(
    'POST /api/v1/:tool/',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Create an entry',
      failures: [404, 409, 429],
    },
    async (request) => {
      const { id, warning } = await createEntry(context, tool, actingUserOf(request), request.body)
      return detail(id, callerOf(request), warning)
    },
  )

  route(
    'PATCH /api/v1/:tool',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Update an entry',
      failures: [404, 409, 429],
      answers: { 409: conflictOf(contract.Entry) },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { id, ...body } = request.body as { id: string }
      const { warning, outdated } = await changeEntry(context, tool, actingUserOf(request), id, body)
      const entry = await detail(id, caller, warning)
      return outdated ? reply.code(409).send(conflict('entry', entry)) : entry
    },
  )

  route(
    'DELETE /api/v1/:tool',
    { ...guard('Tools', 1, 'write'), summary: 'Delete an entry and its history', failures: [404] },
    async (request) => {
      await removeEntry(context, tool, actingUserOf(request), request.query.id)
      return { id: request.query.id }
    },
  )

  if (tool.schedule)
    route(
      'POST /api/v1/:tool/run?id',
      {
        ...guard('Tools', 1, 'write'),
        summary: 'Run an entry now, unless a run is already pending',
        failures: [404, 409, 429],
      },
      async (request) => {
        const { id } = request.query
        return { id, ...(await runEntryNow(context, tool, callerOf(request).user, id)) }
      },
    )
}

async function bulkAct(
  context: Context,
  tool: AnyEntryToolServer,
  { recheckAccess, ...by }: ActingUserWithRecheck,
  body: BulkBody,
): Promise<BulkAnswer> {
  if (body.owner !== undefined && body.act !== 'give') throw invalid('owner', 'Use owner with the act give only.')
  if (body.act === 'run') return bulkRun(context, tool, by.user, body.ids)
  const edits = new Map<string, Instant>()
  const act = await actOf(context, tool, by, body, edits)
  const { done, unchanged, refused } = await forEachId(context, recheckAccess, body.ids, act)
  return { done, unchanged, ...(edits.size > 0 && { updatedAt: Object.fromEntries(edits) }), refused }
}

/** Throws a 400 if the act is invalid for every entry. Records the edits of paused and activated entries in `edits`. */
async function actOf(
  context: Context,
  tool: AnyEntryToolServer,
  by: ActingUser,
  { act, owner, ifUpdatedAt = {} }: BulkBody,
  edits: Map<string, Instant>,
): Promise<(id: string) => Promise<{ unchanged?: boolean } | undefined>> {
  if (act === 'delete')
    return async (id) => {
      await removeEntry(context, tool, by, id)
      return undefined
    }
  if (act === 'give') {
    if (!canSeeAll(by.user)) throw invalid('act', 'Only users with Admin Access to the tools can give entries away.')
    if (owner === undefined) throw invalid('owner', "Enter the new owner's email.")
    await entryStore(context.db).ownerByEmail(owner)
    return (id) => changeEntry(context, tool, by, id, { owner })
  }
  return async (id) => {
    const body = { status: act === 'activate', ifUpdatedAt: ifUpdatedAt[id] }
    const { outdated, unchanged, updatedAt } = await changeEntry(context, tool, by, id, body)
    if (outdated) throw new HttpError(409, editedMeanwhileMessage)
    if (!unchanged) edits.set(id, updatedAt)
    return { unchanged }
  }
}

export function searchRoutes(app: App, tools: readonly AnyEntryToolServer[], context: Context) {
  routesOf(app, crossToolCalls, 'Entries')(
    'GET /api/v1/search',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'Search entries of all tools',
      description:
        'Finds up to 20 entries by name, address or full ID, ignoring case. With `mine`, finds only your own; an empty text then finds the newest.',
    },
    async (request) => {
      const { text, mine } = request.query
      if (text === '' && mine === undefined) throw invalid('text', 'Enter what to search for.')
      return { rows: await findEntries(context, tools, callerOf(request).user, { text, mine: mine !== undefined }) }
    },
  )
}

type Row = Pick<Selectable<Tables['entry']>, 'id' | 'tool' | 'name' | 'about' | 'status' | 'created_at'>

const name = textColumn(sql`coalesce(entry.name, '')`, 'includes')
const about = textColumn(sql.ref('entry.about'), 'includes')
const id = textColumn(sql.ref('entry.id'), 'equals')

const noMatch = sql<SqlBool>`1 = 0`

/** None if the column can't contain the text. */
function filterIfValid(db: Db, column: ListColumn, text: string): RawBuilder<SqlBool>[] {
  try {
    return [column.filter(db, text, { zone: 'UTC', named: 'text' })]
  } catch (refusal) {
    if (refusal instanceof HttpError) return []
    throw refusal
  }
}

/** Entries with the text in their name first, then the newest; an empty text matches all. */
async function findEntries(
  { db, config }: Pick<Context, 'db' | 'config'>,
  tools: readonly AnyEntryToolServer[],
  user: Caller['user'],
  { text, mine }: { text: string; mine: boolean },
): Promise<Found[]> {
  const matches = (tool: AnyEntryToolServer): RawBuilder<SqlBool> => {
    if (text === '') return sql`1 = 1`
    // Search a tool's own columns only for whole URLs: a part of the URLs it generates would match all its entries.
    const own = text.includes('://') ? Object.values(tool.listColumns({ config })) : [searchColumn]
    return sql.join(
      [noMatch, ...[id, name, about, ...own].flatMap((column) => filterIfValid(db, column, text))],
      sql` or `,
    )
  }
  const named = text === '' ? [] : filterIfValid(db, name, text)
  const searches = tools.map((tool) =>
    db.longRead(sql<Row>`select entry.id, entry.tool, entry.name, entry.about, entry.status, entry.created_at
      from entry where ${visibleTo(user, tool.contract.id, { mine })} and (${matches(tool)})
      order by case when ${sql.join([noMatch, ...named], sql` or `)} then 0 else 1 end,
        entry.created_at desc, entry.id desc limit ${mostFound}`),
  )
  const rows = (await Promise.all(searches)).flat()
  return rows
    .map((row) => ({ row, rank: rankOf(row, text.toLowerCase()) }))
    .toSorted((a, b) => a.rank - b.rank || b.row.created_at - a.row.created_at)
    .slice(0, mostFound)
    .map(({ row: { id, tool, name, about, status } }) => ({ id, tool, name, about, status: status === 1 }))
}

/** Ranks a match: at the start of the name, elsewhere in it, at the start of the description, or anywhere else. */
function rankOf({ name, about }: Row, text: string): number {
  const [inName, inAbout] = [(name ?? '').toLowerCase().indexOf(text), about.toLowerCase().indexOf(text)]
  if (inName === 0) return 0
  if (inName > 0) return 1
  return inAbout === 0 ? 2 : 3
}
