import { CompiledQuery, type KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { callerWith } from '../../../test/support/scenes/test-server.ts'
import { toolbox } from '../../../test/support/toolbox.ts'
import type { Db } from '../../platform/db/open.ts'
import { entryStore } from '../store.ts'
import { listStore } from './list.ts'

function watched(db: Db) {
  const queries: CompiledQuery[] = []
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      queries.push(db.q.getExecutor().compileQuery(node, queryId))
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const longRead: Db['longRead'] = (query) => {
    queries.push(query.compile(db.q))
    return db.longRead(query)
  }
  return { queries, db: { ...db, q: db.q.withPlugin(plugin), longRead } }
}

test('for a user who sees only their own entries, SQLite reads no others', async () => {
  const box = await toolbox('sqlite')
  const { user } = callerWith({ Tools: 1 })
  const { queries, db } = watched(box.db)
  const lists = listStore(db, 'keepalive', {})
  const usual = { page: 1, size: 50, sort: undefined, order: undefined, filters: [], zone: 'UTC' } as const
  await lists.page(user, usual, undefined)
  await lists.page(user, usual, 'failing')
  await lists.figures(user)
  await lists.recent(user, 30)
  await lists.today(user, 0)
  for await (const _page of entryStore(db).list('keepalive', user));
  expect(queries).toHaveLength(11)
  for (const { sql, parameters } of queries) {
    const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]) as CompiledQuery<{ detail: string }>
    expect((await box.db.q.executeQuery(explain)).rows.map(({ detail }) => detail).join()).toContain(
      'entry_owner (owner_id=?',
    )
  }
  await box.close()
})
