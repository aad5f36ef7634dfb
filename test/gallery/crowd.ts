import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { linkAccount } from '../../src/people/sign-in-methods.ts'
import type { Db } from '../../src/platform/db/open.ts'
import { days, hours, type Instant, minutes } from '../../src/shared/time.ts'

const agents = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'curl/8.14.1',
]
const many = 40

/** Inserts 500 users, an audit log, and for one user 40 sessions, 40 keys and two linked accounts. */
export async function fillPeople(db: Db, now: Instant) {
  await fillUsers(db, now)
  await fillLog(db, now)
  const { id } = await db.q
    .selectFrom('users')
    .select('id')
    .where('cred_username', '=', 'layla')
    .executeTakeFirstOrThrow()
  await fillSessions(db, id, now)
  await fillKeys(db, id, now)
  const accounts = [
    { providerId: '001_Discord', accountId: '80351110224678912', accountUsername: 'layla' },
    { providerId: '002_Github', accountId: '583231', accountUsername: 'layla-bint-abd-al-rahman-al-andalusi-1' },
  ]
  for (const account of accounts) await linkAccount(db, db.q, id, account, now - days(90))
}

async function fillUsers(db: Db, now: Instant) {
  const names = ['Grace Hopper', 'Katherine Johnson', 'Ibn al-Haytham', '李清照', 'Émilie du Châtelet']
  const people = Array.from({ length: 500 }, (_, index) => ({
    id: randomUUID(),
    name: `${names[index % names.length]} ${index}`,
    email: `person${index}@example.com`,
    seen: index % 7 === 0 ? null : new Date(now - hours(5 * index)).toISOString(),
    at: new Date(now - days(500 - index)).toISOString(),
  }))
  const columns = { id: 'text', name: 'text', email: 'text', seen: 'text', at: 'text' } as const
  await sql`insert into users (id, name, email, email_verified, status, tags, roles, last_usage_timestamp, created_at, updated_at)
    select id, name, email, 1, 2, '[]', '{"Tools":1}', seen, at, at from ${db.rows('people', columns, people)}
    where true`.execute(db.q)
}

async function fillLog(db: Db, now: Instant) {
  const changes = JSON.stringify([
    { field: 'name', from: 'Grace', to: 'Rear Admiral Grace Brewster Murray Hopper of the United States Navy' },
    { field: 'status', from: 1, to: 2 },
  ])
  const lines = Array.from({ length: 60 }, (_, index) => ({ id: randomUUID(), at: now - hours(index) }))
  await sql`insert into audit (id, at, actor, action, target, changes, address)
    select id, at, 'ada@example.com', 'user.edit', 'person' || (at % 500) || '@example.com', ${changes}, '203.0.113.7'
    from ${db.rows('lines', { id: 'text', at: 'bigint' }, lines)} where true`.execute(db.q)
}

const fillSessions = (db: Db, user_id: string, now: Instant) =>
  db.q
    .insertInto('sessions')
    .values(
      Array.from({ length: many }, (_, index) => {
        const at = new Date(now - hours(3 * index)).toISOString()
        return {
          id: randomUUID(),
          token: randomUUID(),
          user_id,
          expires_at: new Date(now + days(7)).toISOString(),
          ip_address: index % 2 ? '203.0.113.7' : '2001:db8:85a3:8d3:1319:8a2e:370:7348',
          user_agent: agents[index % agents.length] ?? null,
          created_at: at,
          updated_at: at,
        }
      }),
    )
    .execute()

const fillKeys = (db: Db, user_id: string, now: Instant) =>
  db.q
    .insertInto('api_key')
    .values(
      Array.from({ length: many }, (_, index) => ({
        id: randomUUID(),
        user_id,
        name: index === 0 ? 'the key of the machine that builds the releases on Sundays' : `deploy ${index}`,
        scopes: index % 3 ? '["read"]' : '["read","write"]',
        hash: randomUUID(),
        last4: String(1_000 + index),
        created_at: now - minutes(index),
        expires_at: index % 4 ? now + days(30) : null,
        last_used_at: index % 5 ? now - hours(index) : null,
      })),
    )
    .execute()
