import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dialects, insertEntry } from '../../../test/support/database/databases.ts'
import { browser, createPerson, createSignedInPerson, password } from '../../../test/support/people.ts'
import { type Toolbox, toolbox } from '../../../test/support/toolbox.ts'
import { cleanUpAccounts } from '../../app.ts'
import { days, seconds } from '../../shared/time.ts'
import { createAdmin, inviteAdmin, passwordLink, resetPassword, setupLink } from '../../sign-in/set-up.ts'
import { type AuditEntry, auditPage } from './contract.ts'
import { commandLine, writeAudit } from './log.ts'

const path = '/api/v1/admin/user'
const fresh = 'eleven purple violins'
const tokenOf = (link = 'http://none') => new URLSearchParams(new URL(link).hash.slice(1)).get('token')

describe.each(dialects)('the audit log on %s', (dialect) => {
  let box: Toolbox
  let boss: Awaited<ReturnType<typeof createSignedInPerson>>
  beforeEach(async () => {
    box = await toolbox(dialect)
    boss = await createSignedInPerson(box, { name: 'boss', username: 'boss', roles: { Admin: 2 } })
  })
  afterEach(() => box.close())
  const log = async (query = '') => {
    const { status, body } = await boss.screen.get(`/api/v1/admin/audit${query}`)
    expect(status).toBe(200)
    return body as AuditEntry[]
  }
  const changesOf = (entry: AuditEntry) =>
    Object.fromEntries(entry.changes.map(({ field, from, to }) => [field, [from, to]]))

  test('records who created, changed and deleted which user, with address, time, and old and new values', async () => {
    const byBoss = { actor: boss.email, actorId: boss.id, address: '192.0.2.1' }
    const body = { email: 'ada@example.com', name: 'Ada', credUsername: 'ada', password: fresh, tags: ['Verified'] }
    const { id } = (await boss.screen.post(path, body)).body
    await insertEntry(box.db, 'e1', id)
    await insertEntry(box.db, 'e2', id)
    box.pass(seconds(1))
    const changed = { name: 'Ada L.', email: 'ada@example.org', roles: { Tools: 2 }, tags: [], status: 1 }
    await boss.screen.patch(path, { id, ...changed, credUsername: 'ada' })
    box.pass(seconds(1))
    await boss.screen.patch(`${path}/password`, { id, password: 'nineteen loud parrots' })
    box.pass(seconds(1))
    await boss.screen.delete(`${path}?email=ada@example.org`)

    const [deleted, set, edited, created, ...none] = await log()
    expect(none).toEqual([])
    expect(created).toMatchObject({
      ...byBoss,
      at: box.now() - 3_000,
      action: 'user.create',
      target: 'ada@example.com',
    })
    expect(changesOf(created!)).toEqual({
      name: [null, 'Ada'],
      email: [null, 'ada@example.com'],
      emailVerified: [null, true],
      status: [null, 2],
      'roles.Admin': [null, 0],
      'roles.Tools': [null, 0],
      tags: [null, ['Verified']],
      credUsername: [null, 'ada'],
      providers: [null, ['003_Credentials ada']],
    })
    expect(edited).toMatchObject({ ...byBoss, action: 'user.edit', target: 'ada@example.com', targetId: id })
    expect(changesOf(edited!)).toEqual({
      name: ['Ada', 'Ada L.'],
      email: ['ada@example.com', 'ada@example.org'],
      status: [2, 1],
      'roles.Tools': [0, 2],
      tags: [['Verified'], []],
    })
    expect(set).toMatchObject({ ...byBoss, action: 'user.password', target: 'ada@example.org', changes: [] })
    expect(deleted).toMatchObject({ ...byBoss, at: box.now(), action: 'user.delete', targetId: id })
    expect(changesOf(deleted!)).toMatchObject({ email: ['ada@example.org', null], entries: [2, null] })
  })

  test('contains no passwords or hashes, and no entries for rejected requests', async () => {
    const name = { email: 'ada@example.com', name: 'Ada', credUsername: 'ada' }
    const { id } = (await boss.screen.post(path, { ...name, password: fresh })).body
    await boss.screen.patch(`${path}/password`, { id, password: 'nineteen loud parrots' })
    await boss.screen.patch(path, { id, providers: [] })
    const before = await log()
    for (const refused of [
      await boss.screen.post(path, { ...name, password: fresh }),
      await boss.screen.patch(path, { id, email: boss.email }),
      await boss.screen.patch(path, { id: boss.id, roles: { Admin: 0 } }),
      await boss.screen.patch(`${path}/password`, { id, password: fresh }),
      await boss.screen.delete(`${path}?email=${boss.email}`),
    ])
      expect(refused.status).toBe(409)
    expect(await log()).toEqual(before)
    const text = JSON.stringify(await box.db.q.selectFrom('audit').selectAll().execute())
    for (const secret of [fresh, 'nineteen loud parrots', 'scrypt']) expect(text).not.toContain(secret)
  })

  test('records how each administrator was created, and who set each password', async () => {
    await box.db.q.deleteFrom('users').execute()
    const screen = browser(box.app, '192.0.2.7')
    const setUp = async (link: string | undefined, username: string, secret = fresh) => {
      const body = { token: tokenOf(link), email: `${username}@example.com`, username, password: secret }
      expect((await screen.post('/api/v1/auth/setup', body)).status).toBe(201)
      box.pass(1)
    }
    await setUp(await setupLink(box.context), 'first')
    await setUp(await inviteAdmin(box.context, { email: 'second@example.com', username: 'second' }), 'second')
    await createAdmin(box.context, { email: 'third@example.com', username: 'third', password: fresh })
    box.pass(1)
    await resetPassword(box.context, 'third', 'nineteen loud parrots')
    box.pass(1)
    await setUp(await passwordLink(box.context, 'third'), 'third', 'seven brown clarinets')
    const rows = await box.db.q.selectFrom('audit').selectAll().orderBy('at').execute()
    expect(rows.map((row) => [row.actor, row.action, row.target, row.address])).toEqual([
      ['first@example.com', 'user.create', 'first@example.com', '192.0.2.7'],
      ['second@example.com', 'user.create', 'second@example.com', '192.0.2.7'],
      ['Command line', 'user.create', 'third@example.com', null],
      ['Command line', 'user.password', 'third@example.com', null],
      ['third@example.com', 'user.password', 'third@example.com', '192.0.2.7'],
    ])
    expect(rows[0]!.actor_id).toBe(rows[0]!.target_id)
  })

  test('records an administrator from the configuration once, with Configuration as the actor', async () => {
    await box.close()
    const env = { ADMIN_EMAIL: 'root@example.com', ADMIN_USERNAME: 'root', ADMIN_PASSWORD: password }
    box = await toolbox(dialect, env)
    await setupLink(box.context)
    await setupLink(box.context)
    const rows = await box.db.q.selectFrom('audit').selectAll().execute()
    expect(rows).toMatchObject([{ actor: 'Configuration', actor_id: null, action: 'user.create' }])
  })

  test('is paged newest first, and never splits entries of one instant across pages', async () => {
    const instants = [...Array(auditPage - 1).fill(9_000), ...Array(5).fill(8_000), 7_000]
    for (const at of instants) await writeAudit(box.db.q, at, { actor: commandLine, action: 'user.create' })
    const first = await log()
    expect(first).toHaveLength(auditPage + 4)
    const second = await log(`?before=${first.at(-1)!.at}`)
    expect(second.map((entry) => entry.at)).toEqual([7_000])
    const all = [...first, ...second]
    expect(all.map((entry) => entry.at)).toEqual(instants)
    expect(new Set(all.map((entry) => entry.id)).size).toBe(instants.length)
    expect(await log('?before=7000')).toEqual([])
  })

  test.each(['x', '-1', '1.5', '', '1e400'])('rejects %j as the time to read before', async (before) => {
    const { status, body } = await boss.screen.get(`/api/v1/admin/audit?before=${before}`)
    expect([status, Object.keys(body.fields ?? {})]).toEqual([400, ['before']])
  })

  test('rejects updates, even directly in the database', async () => {
    await boss.screen.post(path, { email: 'ada@example.com', name: 'Ada' })
    const before = await log()
    await expect(box.db.q.updateTable('audit').set({ actor: 'nobody' }).execute()).rejects.toThrow('append-only')
    expect(await log()).toEqual(before)
  })

  test('rejects deleting entries before they expire, even directly in the database', async () => {
    const at = { new: Date.now(), young: Date.now() - days(398), old: Date.now() - days(400) }
    for (const one of Object.values(at)) await writeAudit(box.db.q, one, { actor: commandLine, action: 'user.create' })
    const { q, kind } = box.db
    const storedTimes = async () =>
      (await q.selectFrom('audit').select('at').orderBy('at').execute()).map((row) => row.at)
    for (const one of [at.new, at.young])
      await expect(q.deleteFrom('audit').where('at', '=', one).execute()).rejects.toThrow('append-only')
    const [first] = await q.selectFrom('audit').selectAll().where('at', '=', at.new).execute()
    const around = kind === 'sqlite' ? 'insert or replace into audit select * from audit' : 'truncate audit'
    for (const statement of ['delete from audit', around])
      await expect(sql.raw(statement).execute(q)).rejects.toThrow('append-only')
    expect(await q.selectFrom('audit').selectAll().where('at', '=', at.new).execute()).toEqual([first])
    expect(await storedTimes()).toEqual([at.old, at.young, at.new])
    await q.deleteFrom('audit').where('at', '=', at.old).execute()
    expect(await storedTimes()).toEqual([at.young, at.new])
  })

  test('deletes entries after 400 days, and notifications and their read marks after 90', async () => {
    // The database triggers check ages against their own clock.
    box.stepClock(Date.now() - days(400) - box.now())
    const start = box.now()
    const tell = async (id: string) => {
      const notification = { id, user_id: null, type: 'info', message: id, author: 'boss', issued_at: box.now() }
      await box.db.q.insertInto('notification').values(notification).execute()
      await box.db.q.insertInto('notification_seen').values({ user_id: boss.id, notification_id: id }).execute()
    }
    const countStored = async () => ({
      audit: (await box.db.q.selectFrom('audit').selectAll().execute()).length,
      notifications: (await box.db.q.selectFrom('notification').select('id').execute()).map(({ id }) => id).sort(),
      seen: (await box.db.q.selectFrom('notification_seen').selectAll().execute()).length,
    })
    await writeAudit(box.db.q, start, { actor: commandLine, action: 'user.create' })
    await tell('old')
    box.pass(days(90))
    await tell('new')
    await cleanUpAccounts(box.context)
    expect(await countStored()).toEqual({ audit: 1, notifications: ['new', 'old'], seen: 2 })
    box.pass(1)
    await cleanUpAccounts(box.context)
    expect(await countStored()).toEqual({ audit: 1, notifications: ['new'], seen: 1 })
    box.pass(days(310) - 1)
    await cleanUpAccounts(box.context)
    expect((await countStored()).audit).toBe(1)
    box.pass(1)
    await cleanUpAccounts(box.context)
    expect(await countStored()).toEqual({ audit: 0, notifications: [], seen: 0 })
  })

  test('keeps entries whose actor and target have both been deleted', async () => {
    const other = await createSignedInPerson(box, { name: 'other', roles: { Admin: 2 } })
    const { email } = await createPerson(box.context, { name: 'ada' })
    await other.screen.delete(`${path}?email=${email}`)
    await boss.screen.delete(`${path}?email=${other.email}`)
    const entries = await log()
    expect(entries.map((entry) => [entry.actor, entry.target]).sort()).toEqual([
      [boss.email, other.email],
      [other.email, email],
    ])
  })
})
