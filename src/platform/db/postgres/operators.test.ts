import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { freshPostgres } from '../../../../test/support/database/fresh-postgres.ts'
import { startPgBouncer } from '../../../../test/support/database/pgbouncer.ts'
import { describeDatabaseError } from '../configured.ts'
import { pipeline, prepare } from '../look-up.ts'
import type { Queries } from '../open.ts'
import { findSetupProblem, openPostgres, type PostgresOptions } from './open.ts'

let url: string
let admin: pg.Client
/** A role that may only connect, and the database's URL for it. */
let role: string
let roleUrl: string
beforeEach(async () => {
  const created = await freshPostgres()
  url = created.url
  admin = new pg.Client({ connectionString: url })
  await admin.connect()
  role = `role_${randomBytes(8).toString('hex')}`
  roleUrl = Object.assign(new URL(url), { username: role, password: role }).href
  await admin.query(`create role ${role} login password '${role}'; revoke create on schema public from public`)
  return async () => {
    await admin.query(`drop owned by ${role}; drop role ${role}`)
    await admin.end()
    await created.drop()
  }
})

function open(address: string, options?: PostgresOptions) {
  const db = openPostgres(address, options)
  onTestFinished(() => db.close().catch(() => {}))
  return db
}
const mayCreate = () => admin.query(`grant create on schema public to ${role}`)

test('custom settings of a database do not affect values or transactions', async () => {
  const { database } = admin
  for (const setting of [
    "datestyle = 'German'",
    'intervalstyle = iso_8601',
    "timezone = 'Asia/Kathmandu'",
    'bytea_output = escape',
    'extra_float_digits = -10',
    'default_transaction_isolation = serializable',
    'lock_timeout = 1',
  ])
    await admin.query(`alter database ${database} set ${setting}`)
  const read = await sql`select timestamptz '2026-03-04 05:06:07+00' as at, date '2026-03-04' :: text as day,
    interval '26 hours' :: text as span, 'a\\b' as text, '\\x00ff'::bytea as bytes, 0.1::float8 + 0.2::float8 as sum,
    current_setting('transaction_isolation') as isolation`.execute(open(url).q)
  expect(read.rows).toEqual([
    {
      at: new Date('2026-03-04T05:06:07Z'),
      day: '2026-03-04',
      span: '26:00:00',
      text: 'a\\b',
      bytes: Buffer.from([0, 255]),
      sum: 0.1 + 0.2,
      isolation: 'read committed',
    },
  ])
})

test('findSetupProblem returns undefined for a role that may create tables', async () => {
  await mayCreate()
  expect(await findSetupProblem(open(roleUrl).q)).toBeUndefined()
})

test.each([
  ['may not create tables', () => Promise.resolve(), 'may not create tables in the schema public'],
  [
    'may only read',
    () => admin.query(`alter role ${role} set default_transaction_read_only = on`),
    'Set default_transaction_read_only to off',
  ],
  [
    'finds no schema',
    () => admin.query(`alter role ${role} set search_path = nowhere`),
    'No schema on the search_path',
  ],
  [
    "finds another role's tables",
    async () => {
      await mayCreate()
      await admin.query('create table migration (name text)')
    },
    'The tables in ',
  ],
])('findSetupProblem explains how to fix a role that %s', async (_what, prepare, words) => {
  await prepare()
  const problem = await findSetupProblem(open(roleUrl).q)
  expect(problem).toContain(words)
  expect(problem).toContain(role)
})

test('findSetupProblem names a wrong encoding and the required one', async () => {
  const name = `latin_${randomBytes(8).toString('hex')}`
  await admin.query(`create database ${name} encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'`)
  onTestFinished(() => void admin.query(`drop database ${name} with (force)`).catch(() => {}))
  const db = openPostgres(Object.assign(new URL(url), { pathname: `/${name}` }).href)
  const problem = await findSetupProblem(db.q)
  await db.close()
  await admin.query(`drop database ${name} with (force)`)
  expect(problem).toBe(
    `The database ${name} stores text as LATIN1. Create one with encoding 'UTF8' template template0, as docs/scale.md says.`,
  )
})

test.each([
  [
    'a wrong password',
    () => Object.assign(new URL(roleUrl), { password: 'wrong' }).href,
    'password authentication failed',
  ],
  ['a missing database', () => Object.assign(new URL(url), { pathname: '/nowhere' }).href, 'does not exist'],
])('%s is classified as a refusal, and the error explains it', async (_what, address, words) => {
  const db = open(address())
  const error = await sql`select 1`.execute(db.q).catch((why: unknown) => why)
  expect(error).toMatchObject({ name: 'DatabaseUnavailable', why: 'refused' })
  expect(db.failing()).toBe('refused')
  const message = describeDatabaseError(error, { databaseUrl: address(), dataDir: '' })
  expect(message).toMatch(/^The database at DATABASE_URL refuses ToolBox: /)
  expect(message).toContain(words)
})

test('rights revoked at runtime count as a database failure until they are granted again', async () => {
  await admin.query(`create table note (words text); grant insert on note to ${role}`)
  const { q, failing, check } = open(roleUrl, { size: 1 })
  const write = () => sql`insert into note values ('x')`.execute(q)
  await write()
  await admin.query(`revoke insert on note from ${role}`)
  await expect(write()).rejects.toMatchObject({ name: 'DatabaseUnavailable', why: 'refused' })
  expect(failing()).toBe('refused')
  await admin.query(`grant insert on note to ${role}`)
  await check(write)
  expect(failing()).toBeUndefined()
})

test('after a read-only error the next statement uses a new connection', async () => {
  await admin.query(`create table note (words text); grant insert on note to ${role}`)
  await admin.query(`alter role ${role} set default_transaction_read_only = on`)
  const { q, failing } = open(roleUrl, { size: 1 })
  const write = () => sql`insert into note values ('x')`.execute(q)
  await expect(write()).rejects.toMatchObject({ name: 'DatabaseUnavailable', why: 'readOnly' })
  expect(failing()).toBe('readOnly')
  await admin.query(`alter role ${role} reset default_transaction_read_only`)
  await write()
})

test('a pooler in transaction mode is rejected unless there is also a direct URL', async ({ skip }) => {
  const bouncer = (await startPgBouncer(url)) ?? skip('PgBouncer is not installed.')
  onTestFinished(bouncer.stop)
  const pooled = bouncer.through(url)
  expect(await findSetupProblem(open(pooled).q)).toContain('Set DATABASE_URL_DIRECT')
  const db = open(pooled, { directUrl: url })
  await admin.query('create table note (n int)')
  const add = (q: Queries, n: number) => prepare(sql`insert into note values (${n})`.compile(q))
  const isThere = (q: Queries, n: number) => prepare(sql<{ n: number }>`select n from note where n = ${n}`.compile(q))
  const call = async (n: number) => {
    await db.q.transaction().execute((tx) => pipeline(tx, [add(tx, n), isThere(tx, n)]))
    return (await db.q.executeQuery<{ n: number }>(isThere(db.q, n))).rows
  }
  const calls = Array.from({ length: 60 }, (_, n) => n)
  expect(await Promise.all(calls.map(call))).toEqual(calls.map((n) => [{ n }]))
  const listening = db.newClient!(5_000)
  await listening.connect()
  const payloads: unknown[] = []
  listening.on('notification', ({ payload }) => payloads.push(payload))
  await listening.query('listen trial')
  await sql`select pg_notify('trial', 'heard')`.execute(db.q)
  await expect.poll(() => payloads).toEqual(['heard'])
  await listening.end()
})

test('queries share the connections that a server allows, and fail if it allows none', async () => {
  await admin.query(`alter role ${role} connection limit 3`)
  const { q, failing, load } = open(roleUrl)
  const burst = () =>
    Promise.all(
      Array.from({ length: 30 }, () => q.transaction().execute((tx) => sql`select pg_sleep(0.01)`.execute(tx))),
    )
  await burst()
  expect(failing()).toBeUndefined()
  const { busy = 0, idle = 0 } = load?.().connections ?? {}
  expect(busy + idle).toBeLessThanOrEqual(3)
  await burst()
  await admin.query(`alter role ${role} connection limit 0`)
  await expect(sql`select 1`.execute(open(roleUrl).q)).rejects.toMatchObject({ why: 'unreachable' })
})
