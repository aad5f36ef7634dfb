import * as z from 'zod/mini'
import type { Context } from '../../platform/context.ts'
import { listQuery, listQueryOf } from '../../platform/db/list/list-query.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { sendArray, sendJson } from '../../platform/http/json-array.ts'
import { compressed, compressedByLetter } from '../../platform/http/page/compress-answer.ts'
import { invalid } from '../../shared/http-error.ts'
import { Health, Mine } from '../contract.ts'
import { masksFor, toListItems } from '../show.ts'
import { entryStore } from '../store.ts'
import type { StoredEntry } from '../stored-entry.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'
import { listColumnsOf } from './columns.ts'
import { listStore } from './store.ts'

const mostIds = 50
/** With their last runs, so many are read and written within some milliseconds. */
const itemsAtOnce = 50
const Ids = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text: string) => text.split(',')),
  ),
  z.array(z.string()).check(z.maxLength(mostIds, { error: `Use at most ${mostIds} IDs.` })),
)
const Figures = z.object({ active: z.int(), inactive: z.int(), total: z.int(), failing: z.int(), blocked: z.int() })

const arrayOf = (written: readonly string[]) => `[${written.join()}]`

/** What shows many entries of a tool at once. */
export function listRoutes(app: App, tool: AnyEntryToolServer, context: Context) {
  const { path, id, label, ListItem } = tool.contract
  const columns = listColumnsOf(tool, context)
  const entries = entryStore(context.db)
  const lists = listStore(context.db, id, columns)
  const about = (summary: string) => ({ tags: [label], summary })
  const mayUse = guard('Tools', 1)
  const Rows = z.object({ rows: z.array(ListItem) })

  const itemsOf = async (caller: Caller, stored: readonly StoredEntry[]) => {
    const { items, unreadable } = await toListItems(tool, stored, context, masksFor(tool, caller))
    if (unreadable.length > 0)
      context.log.error({ unreadable }, 'Some entries cannot be read and are left out of a list.')
    return items
  }
  async function* itemPages(caller: Caller) {
    for await (const page of entries.list(id, caller.user)) yield itemsOf(caller, page)
  }
  async function* foundPages(caller: Caller, ids: AsyncIterable<readonly string[]>) {
    for await (const some of ids)
      for (let at = 0; at < some.length; at += itemsAtOnce) yield rowsById(caller, some.slice(at, at + itemsAtOnce))
  }
  /** Entries with their last runs, each as JSON: they fit the contract, and nobody looks at them again. */
  const rowsById = async (caller: Caller, ids: readonly string[]) => {
    const [stored, recent] = await Promise.all([entries.some(id, caller.user, ids), entries.recent(ids)])
    const items = await itemsOf(caller, stored)
    return items.map((item) => `${JSON.stringify(item).slice(0, -1)},"recent":${recent.get(String(item.id)) ?? '[]'}}`)
  }

  app.get(
    `${path}/list`,
    {
      ...mayUse,
      // Some lists hold the secret URLs of many, beside texts that anybody may have entered.
      onSend: tool.createToken ? compressedByLetter : compressed,
      schema: {
        ...about('List entries, newest first, or a page of them'),
        description: [
          'Without a query, the answer is the array of all entries. With any of it, it is one page and the number of',
          'entries that match all filters, which ignore case. `zone` is UTC by default. With `ids`, separated by commas,',
          'the answer is those of these entries that still exist. With `all`, it is the array of all entries that match',
          'in their order (rows), or of their ids (ids), and each line of it has some of them.',
        ].join(' '),
        querystring: z.extend(listQueryOf(columns), {
          ids: z.optional(Ids),
          health: z.optional(Health),
          all: z.optional(z.enum(['rows', 'ids'], { error: 'Use rows or ids.' })),
        }),
        response: { 200: z.union([z.array(ListItem), z.array(z.string()), z.extend(Rows, { total: z.int() }), Rows]) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { ids: some, health, all, ...query } = request.query
      const asked = listQuery(query, { isPage: health !== undefined || all !== undefined })
      if (some && asked) throw invalid('ids', 'Use ids without anything else.')
      if (all && (query.page ?? query.size) !== undefined) throw invalid('all', 'Use all without page and size.')
      if (some) return sendJson(reply, `{"rows":${arrayOf(await rowsById(caller, some))}}`)
      if (!asked) return sendArray(reply, itemPages(caller))
      if (all === 'ids') return sendArray(reply, lists.allIds(caller.user, asked, health))
      if (all) return sendArray(reply, foundPages(caller, lists.allIds(caller.user, asked, health)), arrayOf)
      const { ids, total } = await lists.page(caller.user, asked, health)
      return sendJson(reply, `{"rows":${arrayOf(await rowsById(caller, ids))},"total":${total}}`)
    },
  )

  app.get(
    `${path}/figures`,
    {
      ...mayUse,
      schema: {
        ...about('Count entries'),
        description: 'With `mine`, only your own count.',
        querystring: z.strictObject({ mine: Mine }),
        response: { 200: Figures },
      },
    },
    (request) => lists.figures(callerOf(request).user, { mine: request.query.mine !== undefined }),
  )

  app.get(
    `${path}/recent`,
    {
      ...mayUse,
      schema: { ...about('List the six entries that ran last, newest run first'), response: { 200: Rows } },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      return sendJson(reply, `{"rows":${arrayOf(await rowsById(caller, await lists.recent(caller.user)))}}`)
    },
  )
}
