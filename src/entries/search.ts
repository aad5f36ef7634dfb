import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import { type ListColumn, textColumn } from '../platform/db/list/columns.ts'
import type { Db } from '../platform/db/open.ts'
import { callerOf, guard } from '../platform/http/access/guard.ts'
import type { App, Caller } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { HttpError, invalid } from '../shared/http-error.ts'
import { crossToolCalls, type Found, mostFound } from './contract.ts'
import { searchColumn } from './list/list.ts'
import { seesAll, toolOfOwned } from './store.ts'
import type { AnyEntryToolServer } from './tool-server.ts'

/** Search among the entries of all tools. */
export function searchRoutes(app: App, tools: readonly AnyEntryToolServer[], context: Context) {
  const entries = searchStore(context.db, tools, context)
  routesOf(app, crossToolCalls, 'Entries')(
    'GET /api/v1/search',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'Search entries of all tools',
      description:
        'Finds up to 20 entries by their name, address or whole ID. Case is ignored. With `mine`, only your own; an empty text then finds the newest.',
    },
    async (request) => {
      const { text, mine } = request.query
      if (text === '' && mine === undefined) throw invalid('text', 'Enter what to search for.')
      return { rows: await entries.find(callerOf(request).user, text, { mine: mine !== undefined }) }
    },
  )
}

type Row = {
  id: string
  tool: string
  name: string | null
  about: string
  status: 0 | 1
  created_at: number
}

const name = textColumn(sql`coalesce(entry.name, '')`, 'includes')
const about = textColumn(sql.ref('entry.about'), 'includes')
const id = textColumn(sql.ref('entry.id'), 'equals')

const never = sql<SqlBool>`1 = 0`

/** A column that nothing can be found in by this text is left out. */
function ifAny(db: Db, column: ListColumn, text: string): RawBuilder<SqlBool>[] {
  try {
    return [column.filter(db, text, { zone: 'UTC', named: 'text' })]
  } catch (refusal) {
    if (refusal instanceof HttpError) return []
    throw refusal
  }
}

/** Finds entries of any tool by name, id, or what their own lists are searched by. */
function searchStore(db: Db, tools: readonly AnyEntryToolServer[], context: Pick<Context, 'config'>) {
  const matches = (tool: AnyEntryToolServer, text: string): RawBuilder<SqlBool> => {
    if (text === '') return sql`1 = 1`
    // Parts of the URLs that a tool makes itself would find all of its entries.
    const own = text.includes('://') ? Object.values(tool.listColumns(context)) : [searchColumn]
    return sql.join([never, ...[id, name, about, ...own].flatMap((column) => ifAny(db, column, text))], sql` or `)
  }

  return {
    /** Those with the text in their name first, then the newest; an empty text finds all. */
    async find(user: Caller['user'], text: string, { mine = false } = {}): Promise<Found[]> {
      const named = text === '' ? [] : ifAny(db, name, text)
      const visible = (tool: string) =>
        seesAll(user) && !mine
          ? sql<SqlBool>`entry.tool = ${tool}`
          : sql<SqlBool>`${toolOfOwned} = ${tool} and entry.owner_id = ${user.id}`
      const asked = tools.map((tool) =>
        db.longRead(sql<Row>`select entry.id, entry.tool, entry.name, entry.about, entry.status, entry.created_at
          from entry where ${visible(tool.contract.id)} and (${matches(tool, text)})
          order by case when ${sql.join([never, ...named], sql` or `)} then 0 else 1 end,
            entry.created_at desc, entry.id desc limit ${mostFound}`),
      )
      const rows = (await Promise.all(asked)).flat()
      return rows
        .map((row) => ({ row, rank: rankOf(row, text.toLowerCase()) }))
        .toSorted((a, b) => a.rank - b.rank || b.row.created_at - a.row.created_at)
        .slice(0, mostFound)
        .map(({ row: { id, tool, name, about, status } }) => ({ id, tool, name, about, status: status === 1 }))
    },
  }
}

/** Where the text stands: at the beginning of the name, in it, at the beginning of what the entry is about, or elsewhere. */
function rankOf({ name, about }: Row, text: string): number {
  const [inName, inAbout] = [(name ?? '').toLowerCase().indexOf(text), about.toLowerCase().indexOf(text)]
  if (inName === 0) return 0
  if (inName > 0) return 1
  return inAbout === 0 ? 2 : 3
}
