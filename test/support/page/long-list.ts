import { randomUUID } from 'node:crypto'
import type { Request } from '@playwright/test'
import { entryStore } from '../../../src/entries/store.ts'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { minutes } from '../../../src/shared/time.ts'
import type { Known } from './admin.ts'
import type { House } from './house.ts'

export const list = '/tools/keepalive/viewlist'
/** What lists ask the server. */
export const listCall = /\/api\/v1\/keepalive\/list\?/

export const urlOf = (n: number) => `https://app-${n}.example.com/health`
/** The time at which the n-th entry was created: each a minute after the one before. */
export const createdAt = (n: number) => Date.UTC(2026, 1, 1, 12) + minutes(n)

/** So many keep-alive entries of this user, without turns; every tenth is inactive. Answers their ids, oldest first. */
export async function seedEntries(house: House, owner: Known, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  const db = openSqlite(house.folder)
  await db.q.transaction().execute(async (tx) => {
    const entries = entryStore(db, tx)
    for (const [n, id] of ids.entries())
      await entries.insert({
        id,
        tool: 'keepalive',
        ownerId: owner.id,
        status: n % 10 !== 0,
        settings: { url: urlOf(n), interval: null },
        address: null,
        at: createdAt(n),
        changedBy: owner.id,
      })
  })
  await db.close()
  return ids
}

/** The parameters of a call. */
export const paramsOf = (request: Request) => Object.fromEntries(new URL(request.url()).searchParams)
