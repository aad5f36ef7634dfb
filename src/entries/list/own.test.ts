import { CompiledQuery, type KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { callerWith } from '../../../test/support/scenes/test-server.ts'
import { type Toolbox, toolbox } from '../../../test/support/toolbox.ts'
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

const usual = { page: 1, size: 50, sort: undefined, order: undefined, filters: [], zone: 'UTC' } as const

async function plansOf(box: Toolbox, queries: readonly CompiledQuery[]): Promise<string[]> {
  const plans: string[] = []
  for (const { sql, parameters } of queries) {
    const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]) as CompiledQuery<{ detail: string }>
    plans.push((await box.db.q.executeQuery(explain)).rows.map(({ detail }) => detail).join())
  }
  return plans
}

test('for a user who sees only their own entries, SQLite reads no others', async () => {
  const box = await toolbox('sqlite')
  const { user } = callerWith({ Tools: 1 })
  const { queries, db } = watched(box.db)
  const lists = listStore(db, 'keepalive', {})
  await lists.page(user, usual, undefined)
  await lists.page(user, usual, 'failing')
  await lists.figures(user)
  await lists.recent(user, 30)
  await lists.today(user, 0)
  for await (const _page of entryStore(db).list('keepalive', user));
  const plans = await plansOf(box, queries)
  expect(plans).toEqual(Array(10).fill(expect.stringContaining('entry_owner (owner_id=?')))
  await box.close()
})

test('for a user who sees all entries, SQLite finds those in a rare state by an index of these', async () => {
  const box = await toolbox('sqlite')
  const { user } = callerWith({ Tools: 2 })
  const { queries, db } = watched(box.db)
  const lists = listStore(db, 'keepalive', {})
  await lists.page(user, usual, undefined)
  await lists.figures(user)
  const [first, , , failing, blocked, fresh, paused] = await plansOf(box, queries)
  expect(first).toMatch(/entry_failing \(tool=\?.*entry_blocked \(tool=\?/)
  expect([failing, blocked, fresh, paused]).toEqual(
    ['entry_failing (tool', 'entry_blocked (tool', 'entry_last (tool=? AND last_at', 'entry_owner (owner_id'].map(
      (index) => expect.stringContaining(index),
    ),
  )
  await box.close()
})
