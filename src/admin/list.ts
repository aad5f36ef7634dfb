import { type RawBuilder, type SqlBool, sql } from 'kysely'
import * as z from 'zod/mini'
import { credentialsProvider, providerCatalogue } from '../people/contract.ts'
import { credential } from '../people/sign-in-methods.ts'
import { type ListColumn, labelColumn, textColumn, timeColumn } from '../platform/db/list/columns.ts'
import { allIdsOf, type ListSource, pageOf } from '../platform/db/list/page.ts'
import type { Db } from '../platform/db/open.ts'
import { guard } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { sendArray } from '../platform/http/json-array.ts'
import { compressResponse } from '../platform/http/page/compress-answer.ts'
import { invalid } from '../shared/http-error.ts'
import { partsOf } from '../shared/list-terms.ts'
import { type ListQuery, listQuery, listQueryOf } from '../shared/schemas/list-query.ts'
import { accountStatuses, Blocked, formatRoles, knownTags } from '../shared/user.ts'
import { ListedUser, type UserKind, userColumnTerms, userKinds } from './contract.ts'
import { cachedParsers, isWaiting, providerIdsOf, selectListedUsers, toListedUser } from './store.ts'

export type UserListContext = { db: Db; config: Parameters<typeof providerCatalogue>[0] }

export function userListRoute(app: App, { db, config }: UserListContext): void {
  const columns = userColumns(providerCatalogue(config))
  const list = userList(db, columns)

  const calls = {
    'GET /api/v1/admin/users': {
      query: z.extend(listQueryOf(columns), {
        show: z.optional(z.enum(userKinds, { error: `Use one of ${userKinds.join(', ')}.` })),
        all: z.optional(z.enum(['rows', 'ids'], { error: 'Use rows or ids.' })),
      }),
      answer: z.union([
        z.array(ListedUser),
        z.array(z.string()),
        z.object({ rows: z.array(ListedUser), total: z.int() }),
      ]),
    },
  }
  routesOf(app, calls, 'Users')(
    'GET /api/v1/admin/users',
    {
      ...guard('Admin', 1, 'read'),
      onSend: compressResponse,
      summary: 'List users, newest first, or a page of them',
      description: [
        'Without query parameters, the response is an array of all users. With any, it is one page and the number of',
        'users matching all filters, which ignore case. `zone` defaults to UTC. `show` selects users who wait for an',
        'admin, have no role, are blocked, are admins or have an unverified email. With `all`, the response lists',
        'all matching users in order (rows) or of their IDs (ids), as an array with a part of it on each line.',
      ].join(' '),
    },
    async (request, reply) => {
      const { show, all, ...query } = request.query
      const parsedQuery = listQuery(query, { isPage: show !== undefined || all !== undefined })
      if (all && (query.page ?? query.size) !== undefined) throw invalid('all', 'Use all without page and size.')
      if (!parsedQuery) return sendArray(reply, list.all())
      if (all === 'ids') return sendArray(reply, list.matchingIds(parsedQuery, show))
      if (all) return sendArray(reply, list.matchingPages(parsedQuery, show))
      return list.page(parsedQuery, show)
    },
  )
}

const pageSize = 500

function userList(db: Db, columns: Columns) {
  const { q } = db
  const listOf = (kind: UserKind | undefined): ListSource => ({
    from: sql`users`,
    id: sql`users.id`,
    columns,
    defaultSort: sql`users.created_at`,
    visible: kind ? kindConditions[kind](db) : sql<boolean>`1 = 1`,
  })

  /** Returns the users with these ids that still exist, in the same order. */
  async function loadUsers(ids: readonly string[]): Promise<ListedUser[]> {
    const rows = await selectListedUsers(q).where(db.isOneOf('id', ids)).execute()
    const providerIds = await providerIdsOf(db, q, ids)
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.flatMap((id) => byId.get(id) ?? []).map((row) => toListedUser(row, providerIds.get(row.id) ?? []))
  }

  return {
    async *all(): AsyncIterable<ListedUser[]> {
      const parse = cachedParsers()
      const page = selectListedUsers(q).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize)
      for (let rows = await page.execute(); rows.length > 0; ) {
        const ids = rows.map(({ id }) => id)
        const providerIds = await providerIdsOf(db, q, ids)
        yield rows.map((row) => toListedUser(row, providerIds.get(row.id) ?? [], parse))
        const last = rows.at(-1)
        if (!last || rows.length < pageSize) return
        rows = await page
          .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(last.created_at, last.id)))
          .execute()
      }
    },

    /** Returns a page of the list and the total number of matches. Throws a 400 that names an invalid filter. */
    async page(query: ListQuery, kind: UserKind | undefined): Promise<{ rows: ListedUser[]; total: number }> {
      const { ids, total } = await pageOf(db, listOf(kind), query)
      return { rows: await loadUsers(ids), total }
    },

    /** Yields the ids of all matching users in batches. Throws a 400 that names an invalid filter. */
    matchingIds: (query: ListQuery, kind: UserKind | undefined) => allIdsOf(db, listOf(kind), query),

    async *matchingPages(query: ListQuery, kind: UserKind | undefined): AsyncIterable<ListedUser[]> {
      for await (const ids of allIdsOf(db, listOf(kind), query))
        for (let at = 0; at < ids.length; at += pageSize) yield loadUsers(ids.slice(at, at + pageSize))
    },
  }
}

const noMatch = sql<SqlBool>`1 = 0`
const isDash = (text: string) => text === '–' || text === '-'
const has = (part: string) => (word: string) => word.toLowerCase().includes(part)

const bothLevels = sql`coalesce(users.admin_level, 0) * 3 + coalesce(users.tools_level, 0)`
const levels = [0, 1, 2] as const
const everyRoles = levels.flatMap((Admin) =>
  levels.map((Tools) => ({ text: formatRoles({ Admin, Tools }).toLowerCase(), both: Admin * 3 + Tools })),
)

const roles: ListColumn = {
  finds: 'A part of a text like “Admin 2, Tools 1”.',
  filter(_db, text) {
    const matches = everyRoles.filter((one) => one.text.includes(text.toLowerCase())).map(({ both }) => sql.lit(both))
    return matches.length === 0 ? noMatch : sql`${bothLevels} in (${sql.join(matches)})`
  },
  sort: () => bothLevels,
}

const isAny = (conditions: readonly RawBuilder<unknown>[]) =>
  conditions.length === 0 ? noMatch : sql<SqlBool>`(${sql.join(conditions, sql` or `)})`
const areAll = (conditions: readonly RawBuilder<unknown>[]) =>
  conditions.length === 0 ? noMatch : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`

/** Matches users if each comma-separated part is contained in one of their tags. */
const tags: ListColumn = {
  finds: 'Parts of tags, between commas.',
  filter(_db, text) {
    if (isDash(text)) return sql`users.tags = '[]'`
    const hasTag = (tag: string) => sql`users.tags like ${sql.lit(`%"${tag}"%`)}`
    return areAll(partsOf(text).map((part) => isAny(knownTags.filter(has(part)).map(hasTag))))
  },
  sort: () => sql`users.tags`,
}

const links = sql`select 1 from provider_links where provider_links.user_id = users.id`

/** Matches users if each comma-separated part is contained in one of their providers' names; sorts by the first id. */
const providersColumn = (providers: Providers): ListColumn => ({
  finds: 'Parts of the names of providers, between commas.',
  isNullable: true,
  filter(_db, text) {
    if (isDash(text)) return sql`not exists (${links})`
    const toStoredId = (id: string) => (id === credentialsProvider ? credential : id)
    const hasOne = (part: string) => {
      const matches = Object.entries(providers).filter(([, { name }]) => has(part)(name))
      const ids = matches.map(([id]) => sql.lit(toStoredId(id)))
      return ids.length === 0 ? noMatch : sql`exists (${links} and provider_links.provider_id in (${sql.join(ids)}))`
    }
    return areAll(partsOf(text).map(hasOne))
  },
  sort: () => sql`(select min(case provider_id when ${sql.lit(credential)} then ${sql.lit(credentialsProvider)}
    else provider_id end) from provider_links where provider_links.user_id = users.id)`,
})

type Providers = Readonly<ReturnType<typeof providerCatalogue>>
type Columns = Readonly<Record<keyof typeof userColumnTerms, ListColumn>>

/** How the list is filtered and sorted; `providers` has the names of providers by id. */
export const userColumns = (providers: Providers): Columns => ({
  id: textColumn(sql.ref('users.id'), userColumnTerms.id.search),
  name: textColumn(sql.ref('users.name'), userColumnTerms.name.search),
  email: textColumn(sql.ref('users.email'), userColumnTerms.email.search),
  status: labelColumn(sql.ref('users.status'), accountStatuses),
  roles,
  tags,
  providers: providersColumn(providers),
  lastUsageTimestamp: timeColumn(sql.ref('users.last_usage_timestamp'), {
    stored: (db, at) => db.timestamp(at),
    isNullable: true,
  }),
  lastSignInAt: timeColumn(sql.ref('users.last_sign_in_at'), { isNullable: true }),
})

const kindConditions: Record<UserKind, (db: Pick<Db, 'boolean'>) => RawBuilder<SqlBool>> = {
  waiting: () => isWaiting,
  noRole: () => sql`${bothLevels} = 0`,
  blocked: () => sql`users.status = ${sql.lit(Blocked)}`,
  // Admins are few and found by an index; checking every user in list order would be slow.
  admins: () => sql`users.id in (select admins.id from users as admins where admins.admin_level >= 1)`,
  unverified: (db) => sql`users.email_verified = ${db.boolean(false)}`,
}
