import * as z from 'zod/mini'
import { providerCatalogue } from '../../people/contract.ts'
import { listQuery, listQueryOf } from '../../platform/db/list/list-query.ts'
import type { Db } from '../../platform/db/open.ts'
import { guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { sendArray } from '../../platform/http/json-array.ts'
import { compressed } from '../../platform/http/page/compress-answer.ts'
import { invalid } from '../../shared/http-error.ts'
import { ListedUser, userKinds } from '../contract.ts'
import { userColumns } from './columns.ts'
import { userList } from './list.ts'

export type UserListContext = { db: Db; config: Parameters<typeof providerCatalogue>[0] }

/** The list of users: all of them, or whoever is asked for. */
export function userListRoute(app: App, { db, config }: UserListContext): void {
  const names = Object.entries(providerCatalogue(config)).map(([id, { name }]) => [id, name] as const)
  const list = userList(db, Object.fromEntries(names))

  app.get(
    '/api/v1/admin/users',
    {
      ...guard('Admin', 1, 'read'),
      onSend: compressed,
      schema: {
        tags: ['Users'],
        summary: 'List users, newest first, or a page of them',
        description: [
          'Without a query, the answer is the array of all users. With any of it, it is one page and the number of users',
          'who match all filters, which ignore case. `zone` is UTC by default. `show` leaves those who wait for an admin,',
          'have no role, are blocked, are admins or have an email that nobody has verified. With `all`, the answer is the',
          'array of all users who match in their order (rows), or of their ids (ids), and each line of it has some of them.',
        ].join(' '),
        querystring: z.extend(listQueryOf(userColumns({})), {
          show: z.optional(z.enum(userKinds, { error: `Use one of ${userKinds.join(', ')}.` })),
          all: z.optional(z.enum(['rows', 'ids'], { error: 'Use rows or ids.' })),
        }),
        response: {
          200: z.union([
            z.array(ListedUser),
            z.array(z.string()),
            z.object({ rows: z.array(ListedUser), total: z.int() }),
          ]),
        },
      },
    },
    async (request, reply) => {
      const { show, all, ...query } = request.query
      const asked = listQuery(query, { isPage: show !== undefined || all !== undefined })
      if (all && (query.page ?? query.size) !== undefined) throw invalid('all', 'Use all without page and size.')
      if (!asked) return sendArray(reply, list.all())
      if (all === 'ids') return sendArray(reply, list.foundIds(asked, show))
      if (all) return sendArray(reply, list.found(asked, show))
      return list.page(asked, show)
    },
  )
}
