import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { credentialsProvider } from '../../people/contract.ts'
import { credential } from '../../people/sign-in-methods.ts'
import { type ListColumn, textColumn, timeColumn, wordColumn } from '../../platform/db/list/columns.ts'
import type { Db } from '../../platform/db/open.ts'
import { partsOf } from '../../shared/list-terms.ts'
import { accountStatuses, Blocked, knownTags, rolesInWords } from '../../shared/user.ts'
import type { UserKind } from '../contract.ts'
import { userColumnTerms } from './contract.ts'
import { isWaiting } from './listed-user.ts'

const never = sql<SqlBool>`1 = 0`
const isNone = (text: string) => text === '–' || text === '-'
const has = (part: string) => (word: string) => word.toLowerCase().includes(part)

const bothLevels = sql`coalesce(users.admin_level, 0) * 3 + coalesce(users.tools_level, 0)`
const levels = [0, 1, 2] as const
const everyRoles = levels.flatMap((Admin) =>
  levels.map((Tools) => ({ text: rolesInWords({ Admin, Tools }).toLowerCase(), both: Admin * 3 + Tools })),
)

const roles: ListColumn = {
  finds: 'A part of a text like “Admin 2, Tools 1”.',
  filter(_db, text) {
    const meant = everyRoles.filter((one) => one.text.includes(text.toLowerCase())).map(({ both }) => sql.lit(both))
    return meant.length === 0 ? never : sql`${bothLevels} in (${sql.join(meant)})`
  },
  sort: () => bothLevels,
}

const isAny = (conditions: readonly RawBuilder<unknown>[]) =>
  conditions.length === 0 ? never : sql<SqlBool>`(${sql.join(conditions, sql` or `)})`
const areAll = (conditions: readonly RawBuilder<unknown>[]) =>
  conditions.length === 0 ? never : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`

/** Each part between commas is contained in one of the user's tags. */
const tags: ListColumn = {
  finds: 'Parts of tags, between commas.',
  filter(_db, text) {
    if (isNone(text)) return sql`users.tags = '[]'`
    const hasTag = (tag: string) => sql`users.tags like ${sql.lit(`%"${tag}"%`)}`
    return areAll(partsOf(text).map((part) => isAny(knownTags.filter(has(part)).map(hasTag))))
  },
  sort: () => sql`users.tags`,
}

const links = sql`select 1 from provider_links where provider_links.user_id = users.id`

/** Each part between commas is contained in the name of one of the user's providers; they are sorted by the first one. */
const providersColumn = (names: Readonly<Record<string, string>>): ListColumn => ({
  finds: 'Parts of the names of providers, between commas.',
  isNullable: true,
  filter(_db, text) {
    if (isNone(text)) return sql`not exists (${links})`
    const stored = (id: string) => (id === credentialsProvider ? credential : id)
    const hasOne = (part: string) => {
      const meant = Object.entries(names).filter(([, name]) => has(part)(name))
      const ids = meant.map(([id]) => sql.lit(stored(id)))
      return ids.length === 0 ? never : sql`exists (${links} and provider_links.provider_id in (${sql.join(ids)}))`
    }
    return areAll(partsOf(text).map(hasOne))
  },
  sort: () => sql`(select min(case provider_id when ${sql.lit(credential)} then ${sql.lit(credentialsProvider)}
    else provider_id end) from provider_links where provider_links.user_id = users.id)`,
})

/** How the list is searched and sorted; `providers` are their names by id. */
export const userColumns = (
  providers: Readonly<Record<string, string>>,
): Readonly<Record<keyof typeof userColumnTerms, ListColumn>> => ({
  id: textColumn(sql.ref('users.id'), userColumnTerms.id.search),
  name: textColumn(sql.ref('users.name'), userColumnTerms.name.search),
  email: textColumn(sql.ref('users.email'), userColumnTerms.email.search),
  status: wordColumn(sql.ref('users.status'), accountStatuses),
  roles,
  tags,
  providers: providersColumn(providers),
  lastUsageTimestamp: timeColumn(sql.ref('users.last_usage_timestamp'), {
    stored: (db, at) => db.timestamp(at),
    isNullable: true,
  }),
  lastSignInAt: timeColumn(sql.ref('users.last_sign_in_at'), { isNullable: true }),
})

/** Which users are of a kind that the list can be narrowed to. */
export const isOfKind: Record<UserKind, (db: Pick<Db, 'boolean'>) => RawBuilder<SqlBool>> = {
  waiting: () => isWaiting,
  noRole: () => sql`${bothLevels} = 0`,
  blocked: () => sql`users.status = ${sql.lit(Blocked)}`,
  // Few, found by their index; asked of each user in order it would take long.
  admins: () => sql`users.id in (select admins.id from users as admins where admins.admin_level >= 1)`,
  unverified: (db) => sql`users.email_verified = ${db.boolean(false)}`,
}
