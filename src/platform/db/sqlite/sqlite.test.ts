import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { hours, seconds } from '../../../shared/time.ts'
import { StartError } from '../../config/env.ts'
import type { Db } from '../open.ts'
import { lockFolder, openSqlite } from './open.ts'

/** Opens a database until the test has finished. */
function open(...given: Parameters<typeof openSqlite>) {
  const db = openSqlite(...given)
  onTestFinished(() => db.close())
  return db
}
async function openWithNotes(folder = temporaryFolder(), options?: { lockTimeout: number }) {
  const db = open(folder, options)
  await sql`create table note (words text)`.execute(db.q)
  return db
}
const insert = (words: string) => sql`insert into note values (${words})`
const note = (db: Db, words: string) => insert(words).execute(db.q)
const noteInTransaction = (db: Db, words: string) => db.q.transaction().execute((tx) => insert(words).execute(tx))
const notes = async (db: Db) => (await sql<{ words: string }>`select words from note`.execute(db.q)).rows.length

test('a full disk is reported as the reason of a failed write until a check succeeds', async () => {
  const db = await openWithNotes()
  await sql`pragma max_page_count = 10`.execute(db.q)
  const full = { name: 'DatabaseUnavailable', why: 'full' }
  await expect(noteInTransaction(db, 'x'.repeat(100_000))).rejects.toMatchObject(full)
  await expect(note(db, 'x'.repeat(100_000))).rejects.toMatchObject(full)
  expect(db.failing()).toBe('full')
  await expect(sql`insert into nowhere values (1)`.execute(db.q)).rejects.toThrow('no such table')
  expect([await notes(db), db.failing()]).toEqual([0, 'full'])
  await noteInTransaction(db, 'short')
  expect([await notes(db), db.failing()]).toEqual([1, 'full'])
  await expect(db.check(() => note(db, 'x'.repeat(100_000)))).rejects.toMatchObject(full)
  expect(db.failing()).toBe('full')
  await db.check(() => note(db, 'checked'))
  expect([await notes(db), db.failing()]).toEqual([2, undefined])
})

describe('while another program holds the lock', () => {
  let folder: string
  let other: DatabaseSync
  beforeEach(async () => {
    folder = temporaryFolder()
    const db = openSqlite(folder)
    await sql`create table note (words text)`.execute(db.q)
    await db.close()
    other = new DatabaseSync(join(folder, 'toolbox.db'))
    other.exec('begin immediate')
  })
  afterEach(() => {
    other.close()
  })

  test('writes wait in order without blocking reads, and are executed once', async () => {
    const db = open(folder, { lockTimeout: hours(1), answer: hours(1) })
    const ended: string[] = []
    const writes = [noteInTransaction(db, 'a'), note(db, 'b'), noteInTransaction(db, 'c')].map((write, index) =>
      write.then(() => ended.push('abc'[index]!)),
    )
    for (let turns = 0; turns < 20; turns += 1) await turn()
    expect(await notes(db)).toBe(0)
    expect(ended).toEqual([])
    other.exec("insert into note values ('theirs'); commit")
    await Promise.all(writes)
    expect([ended, await notes(db), db.failing()]).toEqual([['a', 'b', 'c'], 4, undefined])
  })

  test('writes fail after the time limit, and later ones immediately, until the lock is released', async () => {
    const db = open(folder, { lockTimeout: 60 })
    const locked = { name: 'DatabaseUnavailable', why: 'locked' }
    const first = await Promise.allSettled([noteInTransaction(db, 'a'), note(db, 'b'), note(db, 'c')])
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect([await notes(db), db.failing()]).toEqual([0, 'locked'])
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    // A write that waits would need a timer, and fake timers never fire.
    await expect(note(db, 'd')).rejects.toMatchObject(locked).finally(vi.useRealTimers)
    other.exec('commit')
    await db.check(() => note(db, 'e'))
    expect([await notes(db), db.failing()]).toEqual([1, undefined])
  })

  test('writes time out, and only the one that had started is executed after the lock is released', async () => {
    const db = open(folder)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const begun = note(db, 'begun')
    const next = note(db, 'next')
    while (db.failing() !== 'locked') await turn()
    expect(await notes(db)).toBe(0)
    vi.advanceTimersByTime(seconds(12))
    const unreachable = { name: 'DatabaseUnavailable', why: 'unreachable' }
    await expect(begun).rejects.toMatchObject(unreachable)
    await expect(next).rejects.toMatchObject(unreachable)
    vi.useRealTimers()
    expect([await notes(db), db.failing()]).toEqual([0, 'unreachable'])
    other.exec('rollback')
    await db.check(() => note(db, 'last'))
    expect([await notes(db), db.failing()]).toEqual([2, undefined])
  })
})

test('reads continue during a transaction, and see each write once it is committed', async () => {
  const db = await openWithNotes()
  await db.q.transaction().execute(async (tx) => {
    await insert('a').execute(tx)
    expect(await notes(db)).toBe(0)
    expect(await notes({ ...db, q: tx })).toBe(1)
  })
  for (let count = 1; count < 50; count += 1) {
    expect(await notes(db)).toBe(count)
    const [before] = await Promise.all([notes(db), noteInTransaction(db, 'more')])
    expect(before).toBe(count)
  }
})

test('a recursive read does not wait for a transaction either', async () => {
  const db = await openWithNotes()
  const count = sql<{
    n: number
  }>`with recursive up(n) as (values (1) union all select n + 1 from up where n < 3) select n from up`
  await db.q.transaction().execute(async (tx) => {
    await insert('a').execute(tx)
    const read = count.execute(db.q).then(({ rows }) => rows.length)
    expect(await Promise.race([read, turn('waits')])).toBe(3)
  })
  const add = sql`with more(words) as (values ('b'), ('c')) insert into note select words from more`
  await Promise.all([noteInTransaction(db, 'd'), add.execute(db.q)])
  expect(await notes(db)).toBe(4)
})

test('damage found at runtime is reported, and a check does not clear it', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'toolbox.db')
  const first = openSqlite(folder)
  await sql`create table note (words text)`.execute(first.q)
  for (let count = 0; count < 20; count += 1) await note(first, 'x'.repeat(3_000))
  await first.close()
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill('x', 4_096))
  const db = open(folder)
  const damaged = { name: 'DatabaseUnavailable', why: 'damaged' }
  await expect(notes(db)).rejects.toMatchObject(damaged)
  expect(db.failing()).toBe('damaged')
  await expect(noteInTransaction(db, 'a')).rejects.toMatchObject(damaged)
  await db.check(async () => {})
  expect(db.failing()).toBe('damaged')
})

test('a failed transaction leaves nothing behind, and the next one works', async () => {
  const db = await openWithNotes()
  await expect(
    db.q.transaction().execute(async (tx) => {
      await insert('half').execute(tx)
      throw new Error('given up')
    }),
  ).rejects.toThrow('given up')
  await expect(
    db.q.transaction().execute(async (tx) => {
      await insert('refused').execute(tx)
      await sql`insert into nowhere values (1)`.execute(tx)
    }),
  ).rejects.toThrow('no such table: nowhere')
  await noteInTransaction(db, 'whole')
  expect(await notes(db)).toBe(1)
})

test('a transaction can stream its own rows', async () => {
  const db = await openWithNotes()
  const words = await db.q.transaction().execute(async (tx) => {
    for (let count = 0; count < 3; count += 1) await insert('a').execute(tx)
    await sql`insert into note select value from json_each(${JSON.stringify(Array(1_200).fill('b'))})`.execute(tx)
    const read: string[] = []
    const rows = tx.withTables<{ note: { words: string } }>().selectFrom('note').select('words').stream()
    for await (const { words } of rows) read.push(words)
    return read
  })
  expect(words).toEqual([...Array(3).fill('a'), ...Array(1_200).fill('b')])
})

test('a stream that a transaction stops early does not block later writes', async () => {
  const folder = temporaryFolder()
  const db = await openWithNotes(folder, { lockTimeout: 100 })
  await sql`insert into note select value from json_each(${JSON.stringify(Array(1_200).fill('a'))})`.execute(db.q)
  await db.q.transaction().execute(async (tx) => {
    for await (const _row of tx.withTables<{ note: { words: string } }>().selectFrom('note').select('words').stream())
      break
  })
  const other = new DatabaseSync(join(folder, 'toolbox.db'))
  other.exec("insert into note values ('b')")
  other.close()
  await note(db, 'c')
  expect(await notes(db)).toBe(1_202)
})

test('closing a database rolls back its open transaction, and the next database on the same thread works', async () => {
  const folders = [temporaryFolder(), temporaryFolder()]
  for (const folder of folders) {
    const db = openSqlite(folder)
    await sql`create table note (words text)`.execute(db.q)
    const transaction = await db.q.startTransaction().execute()
    await insert(folder).execute(transaction)
    await db.close()
  }
  const files = folders.map((folder) => new DatabaseSync(join(folder, 'toolbox.db')))
  expect(files.map((file) => file.prepare('select * from note').all())).toEqual([[], []])
  for (const file of files) file.close()
})

test('only one server can lock a folder, and the next one can after its release', () => {
  const folder = temporaryFolder()
  const release = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(
    new StartError(`DATA_DIR ${folder} is in use by another ToolBox. Stop that one, or use a different DATA_DIR.`),
  )
  release()
  lockFolder(folder)()
})
