import { expect, test } from 'vitest'
import { migrate } from '../db/migrate.ts'
import { type Db, openSqlite } from '../db/open.ts'
import { openPostgres } from '../db/postgres.ts'
import { createMetrics } from '../metrics.ts'
import { health } from './health.ts'
import { byKey, callerWith, testServer } from './test-server.ts'

async function server(db: Db, patience = 2_000) {
  const { app } = await testServer({
    identify: ({ headers }) =>
      ({
        key: callerWith({ Admin: 1 }, byKey),
        'weak key': callerWith({ Tools: 2 }, byKey),
        session: callerWith({ Admin: 2 }),
      })[String(headers.authorization)],
  })
  health(app, { db, metrics: createMetrics(), patience })
  return app
}

test('is alive whatever the database does, and ready once that is migrated', async () => {
  const db = openSqlite(':memory:')
  const app = await server(db)
  expect((await app.inject('/readyz')).statusCode).toBe(503)
  expect((await app.inject('/healthz')).json()).toEqual({ status: 'alive' })
  await migrate(db)
  expect((await app.inject('/readyz')).json()).toEqual({ status: 'ready' })
  await db.close()
})

test('is not ready, within its patience, when the database does not answer', async () => {
  const db = openPostgres('postgres://nobody:x@192.0.2.1:5432/none')
  const start = performance.now()
  expect((await (await server(db, 200)).inject('/readyz')).statusCode).toBe(503)
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
