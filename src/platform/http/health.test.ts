import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrate } from '../db/migrate.ts'
import { type Db, openSqlite } from '../db/open.ts'
import { openPostgres } from '../db/postgres.ts'
import { createMetrics } from '../metrics.ts'
import { health } from './health.ts'
import { byKey, callerWith, testServer } from './test-server.ts'

const stands: { still: string | undefined } = { still: undefined }

async function server(db: Db, patience = 2_000) {
  const { app } = await testServer({
    identify: ({ headers }) =>
      ({
        key: callerWith({ Admin: 1 }, byKey),
        'weak key': callerWith({ Tools: 2 }, byKey),
        session: callerWith({ Admin: 2 }),
      })[String(headers.authorization)],
  })
  let at = 0
  const elapsed = () => (at += 1_000)
  health(app, { db, metrics: createMetrics(), health: { standstill: () => stands.still }, elapsed, patience })
  return app
}

test('is alive whatever the database does, and ready once that is migrated', async () => {
  const db = openSqlite(':memory:')
  const app = await server(db)
  expect(await asked(app)).toEqual([503, 'migrations'])
  expect((await app.inject('/healthz')).json()).toEqual({ status: 'alive' })
  await migrate(db)
  expect((await app.inject('/readyz')).json()).toEqual({ status: 'ready' })
  await sql`insert into migration values ('9999-newer', '')`.execute(db.q)
  expect(await asked(app)).toEqual([503, 'migrations'])
  await db.close()
})

test('is not ready while something stands still', async () => {
  const db = openSqlite(':memory:')
  await migrate(db)
  const app = await server(db)
  stands.still = 'worker'
  expect(await asked(app)).toEqual([503, 'worker'])
  stands.still = undefined
  expect(await asked(app)).toEqual([200, undefined])
  await db.close()
})

test('is not ready from a write that failed until one can succeed, also when nobody else writes', async () => {
  const db = openSqlite(':memory:')
  await migrate(db)
  const app = await server(db)
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db.q)
  await sql`pragma max_page_count = ${sql.lit(rows[0]!.page_count + 2)}`.execute(db.q)
  expect(await asked(app)).toEqual([200, undefined])
  const row = { key: 'large', value: 'x'.repeat(20_000) }
  await expect(db.q.insertInto('setting').values(row).execute()).rejects.toThrow('disk is full')
  expect([await asked(app), await asked(app)]).toEqual(Array(2).fill([503, 'disk']))
  await sql`pragma max_page_count = 100000`.execute(db.q)
  expect(await asked(app)).toEqual([200, undefined])
  expect(await db.q.selectFrom('setting').selectAll().execute()).toEqual([])
  await db.close()
})

async function asked(app: Awaited<ReturnType<typeof server>>) {
  const answer = await app.inject('/readyz')
  return [answer.statusCode, answer.json().why]
}

test('is not ready, within its patience, when the database does not answer', async () => {
  const db = openPostgres('postgres://nobody:x@192.0.2.1:5432/none')
  const start = performance.now()
  expect(await asked(await server(db, 200))).toEqual([503, 'database'])
  expect(performance.now() - start).toBeLessThan(2_000)
  void db.close()
})

test.each([
  ['127.0.0.1', {}, 200],
  ['::1', {}, 200],
  ['::ffff:127.0.0.1', {}, 200],
  ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, 403],
  ['127.0.0.1', { forwarded: 'for=127.0.0.1' }, 403],
  ['127.0.0.1', { 'x-forwarded-port': '443' }, 403],
  ['127.0.0.1', { via: '1.1 proxy' }, 403],
  ['127.0.0.1', { 'cf-connecting-ip': '203.0.113.1' }, 403],
  ['198.51.100.7', {}, 403],
  ['198.51.100.7', { authorization: 'key' }, 200],
  ['198.51.100.7', { authorization: 'weak key' }, 403],
  ['198.51.100.7', { authorization: 'session' }, 403],
])('answers metrics to %s with %j by %i', async (remoteAddress, headers, status) => {
  const app = await server(openSqlite(':memory:'))
  expect((await app.inject({ url: '/metrics', remoteAddress, headers })).statusCode).toBe(status)
})

test('counts requests by route and not by address', async () => {
  const app = await server(openSqlite(':memory:'))
  await app.inject('/healthz')
  await app.inject('/no/such/page')
  const { body } = await app.inject('/metrics')
  expect(body).toContain('toolbox_http_request_seconds_count{method="GET",route="/healthz",status="2xx"} 1')
  expect(body).not.toContain('/no/such/page')
})
