import type { Context } from '../../platform/context.ts'
import { actingIn } from '../../platform/http/access/actor.ts'
import { guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'
import { actOnMany } from './act-on-many.ts'
import { BulkAnswer, BulkBody } from './contract.ts'

/** Work on many entries of a tool. */
export function bulkRoutes(app: App, tool: AnyEntryToolServer, context: Context) {
  const { path, label } = tool.contract
  app.post(
    `${path}/bulk`,
    {
      ...guard('Tools', 1),
      schema: {
        tags: [label],
        summary: 'Activate, pause, run, delete or give away up to 1,000 entries',
        description: [
          'Each entry is treated as by the call for a single one, with the same limits; an entry that is named twice is',
          'treated once. What is refused is answered with its reason and holds up none of the others. To `give` entries',
          'to another `owner`, by email, takes Admin Access to the tools.',
        ].join(' '),
        body: BulkBody,
        response: { 200: BulkAnswer },
      },
    },
    (request) => actOnMany(context, tool, actingIn(request), request.body),
  )
}
