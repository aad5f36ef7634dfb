import { sql } from 'kysely'
import { type ListColumn, textColumn, timeColumn, wordColumn } from '../../platform/db/list/columns.ts'
import { contains } from '../../platform/db/list/match.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'

/** The text that the entries of a tool are searched by, such as their URL. They are sorted by its beginning, since no index holds more. */
export const searchColumn: ListColumn = {
  finds: 'A part of the text.',
  filter: (db, text) => contains(db, sql.ref('entry.search'), text),
  sort: () => sql`substr(entry.search, 1, 400)`,
}

const id: ListColumn = { ...textColumn(sql.ref('entry.id'), 'equals'), sort: () => sql.ref('entry.id') }
const email = textColumn(sql.ref('users.email'), 'fuzzy')
/** Sorting by it needs the table of users, too. */
const owner: ListColumn = {
  finds: email.finds,
  filter: (...asked) => sql`entry.owner_id in (select id from users where ${email.filter(...asked)})`,
  sort: email.sort,
}
const common = {
  name: { ...textColumn(sql`coalesce(entry.name, '')`, 'includes'), sort: () => sql`entry.name`, isNullable: true },
  status: wordColumn(sql.ref('entry.status'), { 0: 'Inactive', 1: 'Active' }),
  owner,
  createdAt: timeColumn(sql.ref('entry.created_at')),
  lastRun: timeColumn(sql.ref('entry.last_at'), { isNullable: true }),
}

/** The columns of a tool's list by key, its own after the id. */
export const listColumnsOf = ({ listColumns }: AnyEntryToolServer, context: Parameters<typeof listColumns>[0]) => ({
  id,
  ...listColumns(context),
  ...common,
})
