import { randomUUID } from 'node:crypto'
import type { Request } from '@playwright/test'
import { sql } from 'kysely'
import { entryStore } from '../../../src/entries/store.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { minutes } from '../../../src/shared/time.ts'
import { changeDatabase, type Instance } from './instance.ts'
import { test as base } from './kit.ts'
import { type CreatedUser, createTestUser, deleteUser } from './users.ts'

export const list = '/tools/keepalive/viewlist'
export const listCall = /\/api\/v1\/keepalive\/list\?/

export const urlOf = (n: number) => `https://app-${n}.example.com/health`
export const createdAt = (n: number) => Date.UTC(2026, 1, 1, 12) + minutes(n)

/** Inserts keep-alive entries of this user that never run; every tenth is inactive. Returns their ids, oldest first. */
export async function seedEntries(instance: Instance, owner: CreatedUser, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  const insertAll = (db: Db) =>
    db.q.transaction().execute(async (tx) => {
      const entries = entryStore(db, tx)
      for (const [n, id] of ids.entries())
        await entries.insert({
          id,
          tool: 'keepalive',
          ownerId: owner.id,
          name: null,
          about: urlOf(n),
          status: n % 10 !== 0,
          // Entries that a test reactivates can't find their host; don't notify within a slow test run.
          notifyAfter: 20,
          settings: { url: urlOf(n), interval: null },
          address: null,
          at: createdAt(n),
          changedBy: owner.id,
        })
    })
  await changeDatabase(instance, insertAll)
  return ids
}

/** Inserts users, the oldest of whom awaits approval; returns a function that deletes them. */
export async function seedUsers(instance: Instance, count: number) {
  const people = Array.from({ length: count }, (_, n) => ({
    id: `crowd-${n}`,
    name: `Crowd ${n}`,
    email: `crowd-${n}@example.com`,
    status: n === 0 ? 1 : 2,
    at: new Date(Date.UTC(2020, 0, 1) + minutes(n)).toISOString(),
  }))
  const columns = { id: 'text', name: 'text', email: 'text', status: 'bigint', at: 'text' } as const
  await changeDatabase(instance, (db) =>
    sql`insert into users (id, name, email, email_verified, status, tags, roles, created_at, updated_at)
      select id, name, email, 1, status, '[]', '{"Tools":1,"Admin":0}', at, at from ${db.rows('people', columns, people)}
      where true`.execute(db.q),
  )
  return () => changeDatabase(instance, (db) => db.q.deleteFrom('users').where('id', 'like', 'crowd-%').execute())
}

export const paramsOf = (request: Request) => Object.fromEntries(new URL(request.url()).searchParams)

type Owner = CreatedUser & { entries: readonly string[] }

/** Lena owns 300 entries; Mara owns 230 and sees those of all users. Tests with either share one house. */
export const test = base.extend<{ lena: Owner; mara: Owner }>({
  instance: async ({ instanceFor }, use) => use(await instanceFor('with long lists')),
  lena: async ({ openOnce, instance }, use) =>
    use(await openOnce('lena', () => owner(instance, { name: 'lena', tools: 1, count: 300 }))),
  mara: async ({ openOnce, instance }, use) =>
    use(await openOnce('mara', () => owner(instance, { name: 'mara', tools: 2, count: 230 }))),
})

async function owner(instance: Instance, { name, tools, count }: { name: string; tools: 1 | 2; count: number }) {
  const user = await createTestUser(instance, name, { Tools: tools })
  instance.keepCreated()
  const entries = await seedEntries(instance, user, count)
  return { it: { ...user, entries }, close: () => deleteUser(instance, user) }
}
