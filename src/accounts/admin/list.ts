import { type Selectable, sql } from 'kysely'
import { type ListColumn, textColumn, timeColumn, wordColumn } from '../../platform/db/list/columns.ts'
import { pageOf } from '../../platform/db/list/page.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { instantOf } from '../../platform/db/timestamp.ts'
import type { ListQuery } from '../../platform/http/list-query.ts'
import { accountStatuses, type RoleName, rolesInWords } from '../../shared/user.ts'
import { hasApp } from '../second-factor/rule.ts'
import { parseRoles, parseTags } from '../users/store.ts'
import type { ListedUser } from './contract.ts'

/** The columns of a listed user. */
export const listed = [
  'id',
  'name',
  'email',
  'email_verified',
  'status',
  'tags',
  'roles',
  'cred_username',
  'last_usage_timestamp',
  'log_in_count',
  'created_at',
  'updated_at',
] as const
/** 1 if the user has an authenticator app. */
export const factorColumn = sql<number>`(case when ${hasApp} then 1 else 0 end)`.as('second_factor')
type Row = Pick<Selectable<Tables['users']>, (typeof listed)[number]> & { second_factor: number }

const pageSize = 500

/** All users, newest first, page by page. */
export async function* allUsers(q: Queries): AsyncIterable<ListedUser[]> {
  // Thousands of users have few different sets of roles and tags.
  const parse = { tags: memoize(parseTags), roles: memoize(parseRoles) }
  const page = q
    .selectFrom('users')
    .select(listed)
    .select(factorColumn)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize)
  for (let rows = await page.execute(); rows.length > 0; ) {
    yield rows.map((row) => toListedUser(row, parse))
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return
    rows = await page
      .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(last.created_at, last.id)))
      .execute()
  }
}

/** A page of the list, and how many users match on all pages. Throws a 400 that names the filter. */
export async function pageOfUsers(db: Db, asked: ListQuery): Promise<{ rows: ListedUser[]; total: number }> {
  const all = {
    from: sql`users`,
    id: sql`users.id`,
    columns,
    usual: sql`users.created_at`,
    visible: sql<boolean>`1 = 1`,
  }
  const { ids, total } = await pageOf(db, all, asked)
  const rows = await db.q.selectFrom('users').select(listed).select(factorColumn).where(db.isOneOf('id', ids)).execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return { rows: ids.flatMap((id) => byId.get(id) ?? []).map((row) => toListedUser(row)), total }
}

/** A role's level in the JSON of a user's roles, which this server writes. */
const level = (name: RoleName) => {
  const has = (value: 1 | 2) => sql`users.roles like ${sql.lit(`%"${name}":${value}%`)}`
  return sql`(case when ${has(2)} then 2 when ${has(1)} then 1 else 0 end)`
}
const bothLevels = sql`${level('Admin')} * 3 + ${level('Tools')}`
const levels = [0, 1, 2] as const
const everyRoles = levels.flatMap((Admin) =>
  levels.map((Tools) => ({ text: rolesInWords({ Admin, Tools }).toLowerCase(), both: Admin * 3 + Tools })),
)

const roles: ListColumn = {
  filter(_db, text) {
    const meant = everyRoles.filter((one) => one.text.includes(text.toLowerCase())).map(({ both }) => sql.lit(both))
    return meant.length === 0 ? sql`1 = 0` : sql`${bothLevels} in (${sql.join(meant)})`
  },
  sort: () => bothLevels,
}

const columns = {
  id: textColumn(sql.ref('users.id'), 'fuzzy'),
  name: textColumn(sql.ref('users.name'), 'fuzzy'),
  email: textColumn(sql.ref('users.email'), 'fuzzy'),
  status: wordColumn(sql.ref('users.status'), accountStatuses),
  roles,
  lastUsageTimestamp: timeColumn(sql.ref('users.last_usage_timestamp'), {
    stored: (db, at) => db.timestamp(at),
    isNullable: true,
  }),
}
export const userListKeys: readonly string[] = Object.keys(columns)

function memoize<T>(parse: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const value = known.get(text) ?? parse(text)
    known.set(text, value)
    return value
  }
}

const parsers = { tags: parseTags, roles: parseRoles }

export const toListedUser = (row: Row, parse = parsers): ListedUser => ({
  id: row.id,
  name: row.name,
  email: row.email,
  emailVerified: Boolean(row.email_verified),
  status: row.status,
  tags: parse.tags(row.tags),
  roles: parse.roles(row.roles),
  credUsername: row.cred_username,
  secondFactor: row.second_factor === 1,
  lastUsageTimestamp: row.last_usage_timestamp === null ? null : instantOf(row.last_usage_timestamp),
  logInCount: row.log_in_count,
  createdAt: instantOf(row.created_at),
  updatedAt: instantOf(row.updated_at),
})
