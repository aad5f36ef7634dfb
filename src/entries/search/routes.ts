import type { Context } from '../../platform/context.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { invalid } from '../../shared/http-error.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'
import { SearchAnswer, SearchQuery } from './contract.ts'
import { searchStore } from './store.ts'

/** Search among the entries of all tools. */
export function searchRoutes(app: App, tools: readonly AnyEntryToolServer[], context: Context) {
  const entries = searchStore(context.db, tools, context)
  app.get(
    '/api/v1/search',
    {
      ...guard('Tools', 1),
      schema: {
        tags: ['Entries'],
        summary: 'Search entries of all tools',
        description:
          'Finds up to 20 entries by their name, address or whole ID. Case is ignored. With `mine`, only your own; an empty text then finds the newest.',
        querystring: SearchQuery,
        response: { 200: SearchAnswer },
      },
    },
    async (request) => {
      const { text, mine } = request.query
      if (text === '' && mine === undefined) throw invalid('text', 'Enter what to search for.')
      return { rows: await entries.find(callerOf(request).user, text, { mine: mine !== undefined }) }
    },
  )
}
