import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { dialects, freshDatabase } from '../../../test/support/database/databases.ts'
import { byKey, callerWith, testServer } from '../../../test/support/scenes/test-server.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { isMigrated, migrate } from '../../migrations.ts'
import { hours } from '../../shared/time.ts'
import type { Db } from '../db/open.ts'
import { openPostgres } from '../db/postgres/open.ts'
import { defaultLimits } from '../db/postgres/pool.ts'
import { openSqlite } from '../db/sqlite/open.ts'
import { jobs } from '../jobs/jobs.ts'
import { createMetrics } from '../metrics.ts'
import type { App } from './app.ts'
import { health } from './health.ts'

const stands: { still: string | undefined } = { still: undefined }

type Given = { timeout?: number; config?: { isAddressed?: boolean; metricsToken?: string } }

async function server(db: Db, { timeout = 60_000, config: own = {} }: Given = {}) {
  const { app, lines, config } = await testServer({
    config: own,
    identify: ({ headers }) =>
      ({
        key: callerWith({ Admin: 1 }, byKey),
        'weak key': callerWith({ Tools: 2 }, byKey),
        session: callerWith({ Admin: 2 }),
      })[String(headers.authorization)],
  })
  let at = 0
  const elapsed = () => (at += 1_000)
  health(app, {
    config,
    db,
    isMigrated,
    metrics: createMetrics(),
    health: { stalledActivity: () => stands.still },
    elapsed,
    timeout,
  })
  const logged = () => lines.map((line) => JSON.parse(line).msg).filter((words) => /ready/.test(words))
  return { app, logged }
}

test('is alive whatever the state of the database, and ready once it is migrated', async () => {
  const db = openSqlite(temporaryFolder())
  const { app } = await server(db)
  expect(await readiness(app)).toEqual([503, 'migrations'])
  expect((await app.inject('/healthz')).json()).toEqual({ status: 'alive', version: packageJson.version })
  await migrate(db)
  expect((await app.inject('/readyz')).json()).toEqual({ status: 'ready' })
  for (const url of ['/healthz', '/readyz', '/metrics'])
    expect((await app.inject(url)).headers, url).toMatchObject({ 'cache-control': 'no-store' })
  await sql`insert into migration values ('9999-newer', '')`.execute(db.q)
  expect(await readiness(app)).toEqual([503, 'migrations'])
  await db.close()
})

test('is not ready while the worker is stalled', async () => {
  const db = openSqlite(temporaryFolder())
  await migrate(db)
  const { app } = await server(db)
  stands.still = 'worker'
  expect(await readiness(app)).toEqual([503, 'worker'])
  stands.still = undefined
  expect(await readiness(app)).toEqual([200, undefined])
  await db.close()
})

describe.each(dialects)('on %s', (dialect) => {
  test('is not ready while the disk is full, even if small writes succeed, until large ones stop failing', async () => {
    const { db, drop } = await freshDatabase(dialect)
    onTestFinished(drop)
    const { app, logged } = await server(db)
    expect(await readiness(app)).toEqual([200, undefined])
    const { q } = db
    const keep = (value: string) => {
      const row = { key: 'kept', value }
      return q
        .insertInto('setting')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
        .execute()
    }
    const queue = jobs(db, 'worker', () => 0)
    const free = await fillDisk(db)
    const unready = [503, 'disk']
    await expect(keep('x'.repeat(20_000))).rejects.toMatchObject({ why: 'full' })
    for (let look = 0; look < 3; look += 1) {
      // None of these shows that writing works: a query for jobs, a transaction without writes, a tiny write.
      await queue.nextFree()
      expect(await queue.claim(0, 1, 10)).toEqual([])
      await q.transaction().execute((tx) => tx.deleteFrom('job').execute())
      await keep('x')
      expect(await readiness(app)).toEqual(unready)
    }
    await free()
    // Room for the check is not enough: other writes must not fail for some seconds either.
    const refused = sql`insert into setting values ('other', ${'x'.repeat(200_000)})`
    for (let round = 0; round < 3; round += 1) {
      expect(await readiness(app)).toEqual(unready)
      const free = await fillDisk(db)
      await expect(refused.execute(q)).rejects.toMatchObject({ why: 'full' })
      await free()
    }
    await expect.poll(() => readiness(app)).toEqual([200, undefined])
    expect(await q.selectFrom('setting').selectAll().execute()).toEqual([{ key: 'kept', value: 'x' }])
    expect(logged()).toEqual(['not ready', 'ready again'])
  })
})

/** Leaves little room on the disk; returns a function that makes room again. */
async function fillDisk({ kind, q }: Db) {
  if (kind === 'sqlite') {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(q)
    await sql`pragma max_page_count = ${sql.lit(rows[0]!.page_count + 2)}`.execute(q)
    return () => sql`pragma max_page_count = 100000`.execute(q)
  }
  await sql`create or replace function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$`.execute(q)
  await sql`create trigger full_disk before insert on setting for each row
    when (length(new.value) > 10000) execute function refuse()`.execute(q)
  return () => sql`drop trigger full_disk on setting`.execute(q)
}

test('is not ready while reads find damage, until the file is repaired', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'toolbox.db')
  const first = openSqlite(folder)
  await migrate(first)
  await sql`create table note (words text)`.execute(first.q)
  await sql`insert into note values ('whole')`.execute(first.q)
  const { rows } = await sql<{ page: number }>`
    select (rootpage - 1) * page_size as page from sqlite_schema, pragma_page_size where name = 'note'`.execute(first.q)
  await first.close()
  const whole = readFileSync(file)
  writeFileSync(file, Buffer.from(whole).fill('x', rows[0]!.page, rows[0]!.page + 100))
  const db = openSqlite(folder)
  const { app } = await server(db)
  const read = () => sql`select words from note`.execute(db.q)
  expect(await readiness(app)).toEqual([200, undefined])
  await expect(read()).rejects.toMatchObject({ why: 'damaged' })
  expect([await readiness(app), await readiness(app)]).toEqual(Array(2).fill([503, 'database']))
  writeFileSync(file, whole)
  // Another program's write makes the server read the file again.
  const other = new DatabaseSync(file)
  other.exec("insert into setting values ('other', '')")
  other.close()
  expect(await readiness(app)).toEqual([200, undefined])
  expect((await read()).rows).toEqual([{ words: 'whole' }])
  await db.close()
})

async function readiness(app: App) {
  const answer = await app.inject('/readyz')
  return [answer.statusCode, answer.json().why]
}

test('reports within its time limit that it is not ready when the database does not answer', async () => {
  const silent = createServer((socket) => onTestFinished(() => void socket.destroy())).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as AddressInfo
  // The connection's own timeout is longer.
  const limits = { ...defaultLimits, connect: hours(1) }
  const db = openPostgres(`postgres://nobody:x@127.0.0.1:${port}/none`, { limits })
  expect(await readiness((await server(db, { timeout: 200 })).app)).toEqual([503, 'database'])
})

test.each([
  ['127.0.0.1', {}, 200],
  ['::1', {}, 200],
  ['::ffff:127.0.0.1', {}, 200],
  ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, 403],
  ['127.0.0.1', { forwarded: 'for=127.0.0.1' }, 403],
  ['127.0.0.1', { 'x-forwarded-port': '443' }, 403],
  ['127.0.0.1', { via: '1.1 proxy' }, 403],
  // A website's host name that resolves to this machine while its page is open (DNS rebinding).
  ['127.0.0.1', { host: 'evil.example:3000' }, 403],
  ['127.0.0.1', { host: '[::1]:3000' }, 200],
  ['127.0.0.1', { 'cf-connecting-ip': '203.0.113.1' }, 403],
  ['198.51.100.7', {}, 403],
  ['198.51.100.7', { authorization: 'key' }, 200],
  ['198.51.100.7', { authorization: 'weak key' }, 403],
  ['198.51.100.7', { authorization: 'session' }, 403],
])('without a public address, %s with %j gets a %i for metrics', async (remoteAddress, headers, status) => {
  const { app } = await server(openSqlite(temporaryFolder()))
  expect((await app.inject({ url: '/metrics', remoteAddress, headers })).statusCode).toBe(status)
})

test("at a public address, answers metrics only to the token and to an admin's key", async () => {
  const config = { isAddressed: true, metricsToken: 'measure me' }
  const { app } = await server(openSqlite(temporaryFolder()), { config })
  const plain = await server(openSqlite(temporaryFolder()), { config: { isAddressed: true } })
  const statusOf = async (authorization?: string, box = app) => {
    const headers = authorization === undefined ? {} : { authorization }
    return (await box.inject({ url: '/metrics', headers })).statusCode
  }
  const authorizations = [
    undefined,
    'Bearer measure me',
    'bearer measure me',
    'key',
    'Bearer',
    'Bearer measure',
    'measure me',
  ]
  expect(await Promise.all(authorizations.map((one) => statusOf(one)))).toEqual([403, 200, 200, 200, 403, 403, 403])
  expect(await Promise.all([undefined, 'Bearer', 'key'].map((one) => statusOf(one, plain.app)))).toEqual([
    403, 403, 200,
  ])
})

test('counts requests by route and not by URL', async () => {
  const { app } = await server(openSqlite(temporaryFolder()))
  await app.inject('/healthz')
  await app.inject('/no/such/page')
  const { body } = await app.inject('/metrics')
  expect(body).toContain('toolbox_http_request_seconds_count{method="GET",route="/healthz",status="2xx"} 1')
  expect(body).not.toContain('/no/such/page')
})
