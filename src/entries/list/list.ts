import { type RawBuilder, type SqlBool, sql } from 'kysely'
import * as z from 'zod/mini'
import type { Context } from '../../platform/context.ts'
import { type ListColumn, labelColumn, textColumn, timeColumn } from '../../platform/db/list/columns.ts'
import { contains } from '../../platform/db/list/match.ts'
import { allIdsOf, type ListSource, pageOf } from '../../platform/db/list/page.ts'
import type { Db } from '../../platform/db/open.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App, Caller } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { sendArray, sendJson } from '../../platform/http/json-array.ts'
import { compressHuffmanOnly, compressResponse } from '../../platform/http/page/compress-answer.ts'
import { invalid } from '../../shared/http-error.ts'
import { type ListQuery, listQuery, listQueryOf } from '../../shared/schemas/list-query.ts'
import { dayOf, type Instant } from '../../shared/time.ts'
import { Active } from '../../shared/user.ts'
import { type AnyEntryContract, entryCalls, Health, recentRuns } from '../contract.ts'
import { masksFor, toListItems } from '../show.ts'
import { canSeeAll, entryStore, toolOfOwned, visibleTo } from '../store.ts'
import type { StoredEntry } from '../stored-entry.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'
import { entryColumnTerms } from './contract.ts'

/** The text that lists search in, such as the URL. Sorts by its first 400 characters: the index holds no more. */
export const searchColumn: ListColumn = {
  finds: 'A part of the text.',
  filter: (db, text) => contains(db, sql.ref('entry.search'), text),
  sort: () => sql`substr(entry.search, 1, 400)`,
}

const id: ListColumn = {
  ...textColumn(sql.ref('entry.id'), entryColumnTerms.id.search),
  sort: () => sql.ref('entry.id'),
}
const email = textColumn(sql.ref('users.email'), entryColumnTerms.owner.search)
/** Sorting by owner requires a join with `users`. */
const owner: ListColumn = {
  finds: email.finds,
  filter: (...args) => sql`entry.owner_id in (select id from users where ${email.filter(...args)})`,
  sort: email.sort,
}
const common = {
  name: {
    ...textColumn(sql`coalesce(entry.name, entry.about)`, entryColumnTerms.name.search),
    sort: () => sql`entry.name`,
    isNullable: true,
  },
  status: labelColumn(sql.ref('entry.status'), { 0: 'Inactive', 1: 'Active' }),
  owner,
  createdAt: timeColumn(sql.ref('entry.created_at')),
  lastRun: timeColumn(sql.ref('entry.last_at'), { isNullable: true }),
} satisfies Record<Exclude<keyof typeof entryColumnTerms, 'id'>, ListColumn>

export const listColumnsOf = ({ listColumns }: AnyEntryToolServer, context: Parameters<typeof listColumns>[0]) => ({
  id,
  ...listColumns(context),
  ...common,
})

/** Small enough that reading and serializing the entries and their last runs takes only a few milliseconds. */
const itemsAtOnce = 50

const arrayOf = (written: readonly string[]) => `[${written.join()}]`

export function listRoutes(app: App, tool: AnyEntryToolServer, context: Context) {
  const { id, label, ListItem } = tool.contract
  const columns = listColumnsOf(tool, context)
  const entries = entryStore(context.db)
  const lists = listStore(context.db, id, columns)
  const page = z.object({ rows: z.array(ListItem), total: z.int() })
  const query = z.extend(listQueryOf(columns), {
    health: z.optional(Health),
    all: z.optional(z.enum(['rows', 'ids'], { error: 'Use rows or ids.' })),
  })
  const calls = {
    ...entryCalls<AnyEntryContract>(tool.contract),
    'GET /api/v1/:tool/list': { query, answer: z.union([z.array(ListItem), z.array(z.string()), page]) },
  } as const
  const route = routesOf(app, calls, label, id)

  const itemsOf = async (caller: Caller, stored: readonly StoredEntry[]) => {
    const { items, unreadable } = await toListItems(tool, stored, context, masksFor(tool, caller))
    if (unreadable.length > 0) context.log.error({ unreadable }, 'Some entries cannot be read; omitted from a list')
    return items
  }
  async function* itemPages(caller: Caller) {
    for await (const page of entries.list(id, caller.user)) yield itemsOf(caller, page)
  }
  async function* matchingPages(caller: Caller, ids: AsyncIterable<readonly string[]>) {
    for await (const chunk of ids)
      for (let at = 0; at < chunk.length; at += itemsAtOnce) yield rowsById(caller, chunk.slice(at, at + itemsAtOnce))
  }
  /** Serializes entries with their last runs to JSON; they already fit the contract, so they aren't validated again. */
  const rowsById = async (caller: Caller, ids: readonly string[]) => {
    const [stored, recent] = await Promise.all([
      entries.byIds(id, caller.user, ids),
      entries.recentRunsJson(ids, context.now()),
    ])
    const items = await itemsOf(caller, stored)
    return items.map((item) => `${JSON.stringify(item).slice(0, -1)},"recent":${recent.get(String(item.id)) ?? '[]'}}`)
  }

  route(
    'GET /api/v1/:tool/list',
    {
      ...guard('Tools', 1, 'masked'),
      // Lists with secret URLs also contain text that any user may have chosen, so their size must reveal nothing.
      onSend: tool.createToken ? compressHuffmanOnly : compressResponse,
      summary: 'List entries, newest first, or a page of them',
      description: [
        'Without query parameters, returns an array of all entries. With any, returns one page and the number of',
        'entries that match all filters, which ignore case. `zone` defaults to UTC. With `all`, returns an array of',
        'all matching entries (rows) or of their IDs (ids) in order, a batch per line. Without `sort`, a page starts',
        'with failing and blocked entries.',
      ].join(' '),
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { health, all, ...query } = request.query
      const parsedQuery = listQuery(query, { isPage: health !== undefined || all !== undefined })
      if (all && (query.page ?? query.size) !== undefined) throw invalid('all', 'Use all without page and size.')
      if (!parsedQuery) return sendArray(reply, itemPages(caller))
      if (all === 'ids') return sendArray(reply, lists.matchingIds(caller.user, parsedQuery, health))
      if (all)
        return sendArray(reply, matchingPages(caller, lists.matchingIds(caller.user, parsedQuery, health)), arrayOf)
      const { ids, total } = await lists.page(caller.user, parsedQuery, health)
      return sendJson(reply, `{"rows":${arrayOf(await rowsById(caller, ids))},"total":${total}}`)
    },
  )

  route(
    'GET /api/v1/:tool/figures',
    { ...guard('Tools', 1, 'read'), summary: 'Count entries', description: 'With `mine`, counts only your own.' },
    (request) => lists.figures(callerOf(request).user, { mine: request.query.mine !== undefined }),
  )

  route(
    'GET /api/v1/:tool/recent',
    {
      ...guard('Tools', 1, 'masked'),
      summary: `List the ${lastRunEntries} entries that ran last, the last ${recentRuns} runs of all, and today's run counts`,
    },
    async (request, reply) => {
      const caller = callerOf(request)
      // The last `recentRuns` runs belong to at most that many entries.
      const ids = await lists.recent(caller.user, recentRuns)
      const [rows, runs, today] = await Promise.all([
        rowsById(caller, ids.slice(0, lastRunEntries)),
        entries.recentRunsJson(ids, context.now()),
        lists.today(caller.user, context.now()),
      ])
      const recent = [...runs.values()]
        .flatMap((runs): { timestamp: Instant }[] => JSON.parse(runs))
        .sort((a, b) => b.timestamp - a.timestamp)
        .slice(0, recentRuns)
      return sendJson(
        reply,
        `{"rows":${arrayOf(rows)},"recent":${JSON.stringify(recent)},"today":${JSON.stringify(today)}}`,
      )
    },
  )
}

const lastRunEntries = 7

/** As expressions, so that SQLite doesn't search the indexes of status and owner, where nearly all entries match. */
const running = sql<SqlBool>`entry.status + 0 = 1
  and entry.owner_id || '' in (select id from users where status = ${sql.lit(Active)})`
/** Matches active entries that don't run because their owner is inactive. */
const pausedByOwner = sql<SqlBool>`entry.status + 0 = 1
  and entry.owner_id in (select id from users where status <> ${sql.lit(Active)})`
const failing = sql<SqlBool>`entry.failing_since is not null and entry.blocked_at is null and ${running}`
const blocked = sql<SqlBool>`entry.blocked_at is not null and ${running}`
const healthConditions: Readonly<Record<Health, RawBuilder<SqlBool>>> = {
  paused: sql`not (${running})`,
  blocked,
  failing,
  new: sql`entry.last_at is null and entry.blocked_at is null and ${running}`,
  ok: sql`entry.last_at is not null and entry.failing_since is null and entry.blocked_at is null and ${running}`,
}

/** Reads lists, counts and the latest runs of a tool's entries, limited to entries that the user may see. */
export function listStore(db: Db, tool: string, columns: ListSource['columns']) {
  const listOf = (user: Caller['user'], { sort }: ListQuery, health: Health | undefined): ListSource => ({
    from: sort === 'owner' ? sql`entry join users on users.id = entry.owner_id` : sql`entry`,
    id: sql`entry.id`,
    columns,
    defaultSort: sql`entry.created_at`,
    ...(health === undefined && { first: [failing, blocked] }),
    visible:
      health === undefined
        ? visibleTo(user, tool)
        : sql<SqlBool>`${visibleTo(user, tool)} and ${healthConditions[health]}`,
  })

  return {
    /** Throws a 400 that names an invalid filter. */
    page: (user: Caller['user'], query: ListQuery, health: Health | undefined) =>
      pageOf(db, listOf(user, query, health), query),

    matchingIds: (user: Caller['user'], query: ListQuery, health: Health | undefined) =>
      allIdsOf(db, listOf(user, query, health), query),

    async figures(user: Caller['user'], filter: { mine?: boolean } = {}) {
      const visible = visibleTo(user, tool, filter)
      const seesAll = canSeeAll(user) && !filter.mine
      const counts = await db.longRead(sql<{ status: 0 | 1; count: number }>`
        select status, count(*) as count from entry where ${visible} group by status`)
      const withStatus = (status: 0 | 1) => counts.find((row) => row.status === status)?.count ?? 0
      const [active, inactive] = [withStatus(1), withStatus(0)]
      const countOf = async (condition: RawBuilder<SqlBool>, among = visible) => {
        const [row] = await db.longRead(sql<{ count: number }>`
          select count(*) as count from entry where ${among} and ${condition}`)
        return row?.count ?? 0
      }
      const counted = {
        failing: await countOf(failing),
        blocked: await countOf(blocked),
        new: await countOf(healthConditions.new),
        // Users who read their own entries are active.
        paused: inactive + (seesAll ? await countOf(pausedByOwner, sql`${toolOfOwned} = ${tool}`) : 0),
      }
      const total = active + inactive
      const ok = total - counted.failing - counted.blocked - counted.new - counted.paused
      return { active, inactive, total, ...counted, ok }
    },

    async recent(user: Caller['user'], limit: number): Promise<string[]> {
      const rows = await db.longRead(sql<{ id: string }>`select id from entry
        where ${visibleTo(user, tool)} and last_at is not null order by last_at desc limit ${limit}`)
      return rows.map((row) => row.id)
    },

    /** Since the start of the day (UTC). */
    async today(user: Caller['user'], now: Instant): Promise<{ ok: number; fail: number }> {
      const day = dayOf(now)
      const [row] = await db.longRead(sql<{ ok: number | null; fail: number | null }>`
        select sum(run_day.ok) as ok, sum(run_day.fail) as fail
        from entry join run_day on run_day.entry_id = entry.id and run_day.day = ${day}
        where ${visibleTo(user, tool)} and entry.last_at >= ${Date.parse(day)}`)
      return { ok: Number(row?.ok ?? 0), fail: Number(row?.fail ?? 0) }
    },
  }
}
