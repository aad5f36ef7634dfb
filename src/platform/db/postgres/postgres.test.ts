import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { tcpProxy } from '../../../../test/faults/proxy.ts'
import { freshPostgres } from '../../../../test/support/database/fresh-postgres.ts'
import { occupyConnections, openConnections } from '../../../../test/support/database/occupy.ts'
import { hours } from '../../../shared/time.ts'
import { pipeline, prepare } from '../look-up.ts'
import type { Queries } from '../open.ts'
import { statementTimes } from '../statement-times.ts'
import { DatabaseUnavailable, failureWatch } from '../unavailable.ts'
import { openPostgres } from './open.ts'
import { defaultLimits, postgresPool, unboundedLimits } from './pool.ts'

const quick = { connect: 5_000, statement: 2_000, answer: 2_000, close: 300 }

const { url, drop } = await freshPostgres()
const admin = new pg.Client({ connectionString: url })
await admin.connect()
afterAll(async () => {
  await admin.end()
  await drop()
})

/** The database behind a proxy, through a pool with short limits. */
async function behindProxy({ size = 4, limits = quick } = {}) {
  const proxy = await tcpProxy({ port: Number(new URL(url).port) })
  let silences = 0
  const onSilence = () => {
    silences += 1
  }
  const db = openPostgres(proxy.through(url), { size, limits, onSilence })
  onTestFinished(async () => {
    await db.close()
    await proxy.close()
  })
  return { db, proxy, fill: (count: number) => openConnections(db, count), silences: () => silences }
}
/** Opens a database until the test has finished. */
function open(...given: Parameters<typeof openPostgres>) {
  const db = openPostgres(...given)
  onTestFinished(() => db.close())
  return db
}
const one = async (q: Queries) => (await sql<{ one: number }>`select 1 as one`.execute(q)).rows
const unreachable = { name: 'DatabaseUnavailable', why: 'unreachable' }

test('a connection that is lost between two queries of a transaction fails only that transaction', async () => {
  const { db } = await behindProxy({ limits: defaultLimits })
  const work = db.q.transaction().execute(async (q) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(q)
    await admin.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await pause(50)
    await sql`select 1`.execute(q)
  })
  await expect(work).rejects.toMatchObject(unreachable)
  expect(await one(db.q)).toEqual([{ one: 1 }])
})

test('a connection counts as lost once its end is announced, even before it is closed', async () => {
  const pool = postgresPool(url, {
    size: 1,
    limits: defaultLimits,
    failures: failureWatch(),
    times: statementTimes(),
    onSilence: () => {},
  })
  onTestFinished(pool.close)
  const client = await pool.acquire()
  client.connection.emit('errorMessage', new Error('terminating connection due to administrator command'))
  await expect(pool.query(client, { text: 'select 1' })).rejects.toMatchObject(unreachable)
  pool.release(client)
})

test('when all connections are half-open, one query fails and the next ones use new connections', async () => {
  const { db, proxy, fill, silences } = await behindProxy()
  await fill(4)
  proxy.freeze(4)
  await expect(one(db.q)).rejects.toMatchObject(unreachable)
  for (let query = 0; query < 10; query += 1) expect(await one(db.q)).toEqual([{ one: 1 }])
  expect(silences()).toBe(1)
})

test('after a query without a response, connections that have responded since are kept', async () => {
  const { db, proxy, fill } = await behindProxy()
  await fill(1)
  proxy.freeze(1)
  const silent = expect(one(db.q)).rejects.toMatchObject(unreachable)
  await fill(3)
  const connections = await fill(3)
  await silent
  expect(await fill(3)).toEqual(connections)
})

test('a half-open connection fails its transaction without awaiting the rollback, and releases its locks', async () => {
  const { db, proxy, silences } = await behindProxy()
  await admin.query('create table note (id int primary key, words text)')
  await admin.query(`insert into note values (1, 'before')`)
  const work = db.q.transaction().execute(async (q) => {
    await sql`update note set words = 'lost' where id = 1`.execute(q)
    proxy.freeze(1)
    await sql`select 1`.execute(q)
  })
  await expect(work).rejects.toMatchObject(unreachable)
  expect(silences()).toBe(1)
  // PostgreSQL doesn't notice this and ends the transaction after its own time limit.
  const after = () => sql`update note set words = 'after' where id = 1`.execute(db.q)
  await after().catch(after)
  expect((await admin.query('select words from note')).rows).toEqual([{ words: 'after' }])
})

test('waiting for a new or busy connection has a time limit', async () => {
  const { db, proxy } = await behindProxy({
    size: 1,
    limits: { ...quick, connect: 3_000, answer: 9_000, statement: 9_000 },
  })
  const { free } = await occupyConnections(db, 1)
  await expect(one(db.q)).rejects.toMatchObject(unreachable)
  await free()
  expect(await one(db.q)).toEqual([{ one: 1 }])
  proxy.cut()
  proxy.freeze()
  await expect(one(db.q)).rejects.toMatchObject(unreachable)
  await proxy.heal()
  expect(await one(db.q)).toEqual([{ one: 1 }])
})

test('statements and idle transactions have a time limit, except with `unboundedLimits`', async () => {
  const { db } = await behindProxy({ limits: { ...quick, answer: 5_000, statement: 100 } })
  await expect(sql`select pg_sleep(1)`.execute(db.q)).rejects.toMatchObject(unreachable)
  const idle = db.q.transaction().execute(async (q) => {
    await one(q)
    await pause(300)
    await one(q)
  })
  await expect(idle).rejects.toMatchObject(unreachable)
  const { rows } = await sql`show statement_timeout`.execute(open(url, { limits: unboundedLimits }).q)
  expect(rows).toEqual([{ statement_timeout: '0' }])
})

test('closes in time even if busy connections are half-open', async () => {
  const { db, proxy, fill } = await behindProxy({ limits: { ...quick, answer: hours(1), statement: hours(1) } })
  await fill(4)
  proxy.freeze()
  const work = Promise.allSettled([one(db.q), db.q.transaction().execute(one)])
  await pause(20)
  await expect(db.close()).rejects.toThrow('Connections to PostgreSQL still in use: 2.')
  expect((await work).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('refused connections make a server unreachable, invalid statements do not', async () => {
  const { db, proxy, fill } = await behindProxy()
  await fill(1)
  const write = () => sql`create table if not exists trial (); delete from trial`.execute(db.q)
  proxy.refuse()
  await expect(write()).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(db.failing()).toBe('unreachable')
  await proxy.heal()
  await expect(one(db.q)).resolves.toBeDefined()
  expect(db.failing()).toBe('unreachable')
  await sql`delete from trial`.execute(db.q).catch(write)
  expect(db.failing()).toBe('unreachable')
  await db.check(write)
  expect(db.failing()).toBeUndefined()
  await expect(sql`select * from nothing`.execute(db.q)).rejects.toMatchObject({ code: '42P01' })
  const nobody = open('postgres://nobody@127.0.0.1:1/none')
  await expect(one(nobody.q)).rejects.toMatchObject({ ...unreachable, cause: { code: 'ECONNREFUSED' } })
})

test('each connection parses a prepared query once, also within transactions', async () => {
  const db = open(url, { size: 1 })
  const twice = (q: Queries, n: number) =>
    q.executeQuery(prepare(sql<{ n: number }>`select ${n}::int * 2 as n`.compile(q)))
  const answers = [await twice(db.q, 1), await db.q.transaction().execute((tx) => twice(tx, 2))]
  expect(answers.map(({ rows }) => rows[0]?.n)).toEqual([2, 4])
  const statements = await sql`select generic_plans + custom_plans as uses from pg_prepared_statements
    where statement like 'select %* 2%'`.execute(db.q)
  expect(statements.rows).toEqual([{ uses: 2 }])
})

test('a read that times out does not count as a failure, even as the first statement of a transaction', async () => {
  const { db } = await behindProxy({ limits: { ...quick, answer: 5_000, statement: 100 } })
  const slow = (q: Queries) => sql`select pg_sleep(${1})`.execute(q)
  await expect(db.q.transaction().execute(slow)).rejects.toMatchObject(unreachable)
  expect(db.failing()).toBeUndefined()
})

test('a statement that cannot be sent fails its whole group and keeps the connection usable', async () => {
  const db = open(url, { size: 1 })
  await sql`create table kept (n int)`.execute(db.q)
  const keep = (n: unknown) => prepare(sql`insert into kept values (${n})`.compile(db.q))
  const keepBoth = (first: unknown) => db.q.transaction().execute((tx) => pipeline(tx, [keep(first), keep(2)]))
  await keepBoth(1)
  const impossible = () => {
    throw new Error('not to be sent')
  }
  await expect(keepBoth({ toPostgres: impossible })).rejects.toThrow('not to be sent')
  expect((await sql`select n from kept`.execute(db.q)).rows).toEqual([{ n: 1 }, { n: 2 }])
  await keepBoth(3)
})

test.each([
  ['fails', 'begin nonsense', defaultLimits],
  ['is cancelled', 'select pg_sleep(9)', { ...defaultLimits, statement: 100 }],
])('no write runs if the begin of its transaction %s, and the next transaction works', async (_, text, limits) => {
  const db = open(url, { size: 1, limits })
  await admin.query('drop table if exists unbegun; create table unbegun (n int)')
  const write = (n: number) =>
    db.q
      .transaction()
      .execute((tx) => pipeline(tx, [sql`insert into unbegun values (${n})`, sql`insert into unbegun values (${n})`]))
  const { query } = pg.Client.prototype
  const instead = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    queryConfig: unknown,
  ) {
    const isBegin = Object(queryConfig).text === 'begin'
    return Reflect.apply(query, this, [isBegin ? { text } : queryConfig])
  })
  await expect(write(1)).rejects.toThrow()
  instead.mockRestore()
  await write(2)
  expect((await admin.query('select n from unbegun')).rows).toEqual([{ n: 2 }, { n: 2 }])
})
