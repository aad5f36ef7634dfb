import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { dialects, insertEntry, racingDialects, waitForLock } from '../../test/support/database/databases.ts'
import { browser, createPerson, createSignedInPerson, password, startSession } from '../../test/support/people.ts'
import { keepaliveScene } from '../../test/support/scenes/keepalive-scene.ts'
import { recordEvents, toolbox } from '../../test/support/toolbox.ts'
import { createApp } from '../app.ts'
import { openPostgres } from '../platform/db/postgres/open.ts'
import { accessChanged } from '../platform/live/events.ts'
import { createEvents } from '../platform/live/live-events.ts'
import { createMetrics } from '../platform/metrics.ts'
import { minutes } from '../shared/time.ts'
import { createAuth } from '../sign-in/better-auth.ts'
import { recordProof } from '../sign-in/recent-proof.ts'
import { removeUser } from './store.ts'

const path = '/api/v1/admin/user'
const fresh = 'eleven purple violins'
type Screen = ReturnType<typeof browser>

describe.each(dialects)('an admin’s action on a user on %s', async (dialect) => {
  const { box, target } = await keepaliveScene(dialect)
  const boss = await createSignedInPerson(box, { name: 'boss', username: 'boss', roles: { Admin: 2, Tools: 2 } })

  // Some tests advance the clock past the period in which a sign-in counts as recent proof.
  beforeEach(() => recordProof(box.db.q, boss.session.id, box.now()))

  const edit = async (body: object) => {
    const { status } = await boss.screen.patch(path, body)
    expect(status).toBe(200)
  }
  const sessionsOf = async (id: string) =>
    (await box.db.q.selectFrom('sessions').select('id').where('user_id', '=', id).execute()).map((one) => one.id)
  const mayList = async (screen: Screen) => (await screen.get('/api/v1/keepalive/list')).status

  test.each([0, 1])('status %i ends the user’s sessions immediately and permanently', async (status) => {
    const { id, session, screen } = await createSignedInPerson(box)
    await startSession(box.context, box.auth, { id })
    await edit({ id, status })
    expect(await mayList(screen)).toBe(401)
    expect(await sessionsOf(id)).toEqual([])
    await edit({ id, status: 2 })
    expect(await mayList(browser(box.app, '192.0.2.1', session.cookie))).toBe(401)
  })

  test('ending a user’s sessions spares the caller’s own, and is recorded in the audit log', async () => {
    const { id, email, screen } = await createSignedInPerson(box)
    await startSession(box.context, box.auth, { id })
    const end = async (who: string) => (await boss.screen.delete(`${path}/sessions?id=${who}`)).body
    expect((await boss.screen.get(`${path}?email=${email}`)).body.sessions).toBe(2)
    expect(await end(id)).toEqual({ ended: 2 })
    expect(await mayList(screen)).toBe(401)
    expect(await end(id)).toEqual({ ended: 0 })
    await startSession(box.context, box.auth, boss)
    expect(await end(boss.id)).toEqual({ ended: 1 })
    expect((await boss.screen.delete(`${path}/sessions?id=nobody`)).status).toBe(404)
    const log = box.db.q.selectFrom('audit').selectAll().where('action', '=', 'user.sessions')
    expect(await log.orderBy('changes', 'desc').execute()).toMatchObject([
      { actor_id: boss.id, target_id: id, target: email, changes: '[{"field":"sessions","from":2,"to":0}]' },
      { actor_id: boss.id, target_id: boss.id },
    ])
  })

  test('new roles take effect at the next request and end no session', async () => {
    const { id, session, screen } = await createSignedInPerson(box, { roles: { Tools: 0 } })
    expect(await mayList(screen)).toBe(403)
    await edit({ id, roles: { Tools: 1 } })
    expect(await mayList(screen)).toBe(200)
    expect((await screen.get(`${path}s`)).status).toBe(403)
    await edit({ id, roles: { Admin: 1 } })
    expect((await screen.get(`${path}s`)).status).toBe(200)
    await edit({ id, roles: { Admin: 0, Tools: 0 } })
    expect([await mayList(screen), (await screen.get(`${path}s`)).status]).toEqual([403, 403])
    expect(await sessionsOf(id)).toEqual([session.id])
  })

  test('a new email and name take effect at the next request and end no session', async () => {
    const { id, session, screen } = await createSignedInPerson(box)
    await edit({ id, email: `new-${id}@example.com`, name: 'New Name' })
    const { user } = (await screen.get('/api/v1/auth/session')).body
    expect(user).toMatchObject({ email: `new-${id}@example.com`, name: 'New Name' })
    expect(await sessionsOf(id)).toEqual([session.id])
  })

  test('removing a provider ends no session', async () => {
    const { id, session } = await createSignedInPerson(box, { username: `gone-${dialect}` })
    await edit({ id, providers: [] })
    expect(await sessionsOf(id)).toEqual([session.id])
  })

  test('a new password ends all of the user’s sessions except the one that set it', async () => {
    const set = (id: string) => boss.screen.patch(`${path}/password`, { id, password: fresh })
    const person = await createSignedInPerson(box, { username: `fay-${dialect}` })
    expect((await set(person.id)).body).toEqual({ id: person.id })
    expect([await mayList(person.screen), await sessionsOf(person.id)]).toEqual([401, []])
    expect((await browser(box.app).signIn(person.username!, password)).status).toBe(401)
    expect((await browser(box.app).signIn(person.username!, fresh)).status).toBe(200)
    await startSession(box.context, box.auth, boss)
    expect((await set(boss.id)).status).toBe(200)
    expect(await sessionsOf(boss.id)).toEqual([boss.session.id])
  })

  test('publishes a live event to the user for each change, and none for a refused or empty edit', async () => {
    const { recorded, stop } = recordEvents(box.context)
    const { id, email, name } = await createPerson(box.context, { username: `live-${dialect}` })
    await boss.screen.patch(path, { id, name })
    await boss.screen.patch(path, { id, roles: { Admin: 5 } })
    expect(recorded).toEqual([])
    await edit({ id, status: 1 })
    await boss.screen.patch(`${path}/password`, { id, password: fresh })
    await boss.screen.delete(`${path}?email=${email}`)
    stop()
    expect(recorded.filter(({ type }) => type === 'access')).toEqual(Array(3).fill(accessChanged(id)))
  })

  test('pauses a blocked user’s entries, without changing their status, until the user is active again', async () => {
    const owner = await createSignedInPerson(box)
    const created = await owner.screen.post('/api/v1/keepalive/', { url: `${target.origin}/200` })
    const { id } = created.body
    const turns = async (after: number) => {
      box.pass(after)
      await box.work.runDue()
      return target.visits.length
    }
    expect(await turns(0)).toBe(1)
    await edit({ id: owner.id, status: 0 })
    expect(await turns(minutes(60))).toBe(1)
    const entry = (await boss.screen.get(`/api/v1/keepalive?id=${id}`)).body
    expect([entry.status, entry.history.length]).toEqual([true, 1])
    const now = await boss.screen.post(`/api/v1/keepalive/run?id=${id}`)
    expect([now.status, now.body.error]).toEqual([409, expect.stringContaining('not active')])
    expect(await turns(0)).toBe(1)
    await edit({ id: owner.id, status: 2 })
    expect(await turns(minutes(28))).toBe(2)
    expect((await boss.screen.post(`/api/v1/keepalive/run?id=${id}`)).status).toBe(202)
    expect(await turns(0)).toBe(3)
  })

  test('deleting a user while their entries run does not stop the worker', async () => {
    const owner = await createSignedInPerson(box)
    const other = await createSignedInPerson(box)
    const paths = Array.from({ length: 12 }, (_, n) => `/slow/${n}`)
    const begun = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    for (const one of paths)
      target.on(one, async (_, response) => {
        begun.resolve()
        await answer.promise
        response.end()
      })
    for (const one of paths)
      expect((await owner.screen.post('/api/v1/keepalive', { url: target.origin + one })).status).toBe(201)
    const otherEntry = (await other.screen.post('/api/v1/keepalive', { url: `${target.origin}/200` })).body
    const running = box.work.runDue()
    await begun.promise
    expect((await boss.screen.delete(`${path}?email=${owner.email}`)).status).toBe(200)
    answer.resolve()
    await running
    for (const table of ['job', 'run', 'run_day'] as const) {
      const rows = await box.db.q.selectFrom(table).select('entry_id').execute()
      expect(new Set(rows.map((row) => row.entry_id))).toEqual(new Set([otherEntry.id]))
    }
    expect((await other.screen.get(`/api/v1/keepalive?id=${otherEntry.id}`)).body.history).toMatchObject([
      { success: true },
    ])
  })
})

describe.each(racingDialects)('deleting a user on %s', async (dialect) => {
  const { box, target } = await keepaliveScene(dialect)
  const boss = await createSignedInPerson(box, { name: 'boss', roles: { Admin: 2, Tools: 2 } })

  test('locks jobs in the same order as the worker, so that they never deadlock', async () => {
    const owner = await createPerson(box.context)
    const ids = ['e', 'd', 'c', 'b', 'a']
    for (const id of ids) {
      await insertEntry(box.db, id, owner.id)
      await box.context.jobs.plan({ id, kind: 'turn', entryId: id, dueAt: box.now() })
    }
    let deletion: ReturnType<Screen['delete']> | undefined
    await box.db.q.transaction().execute(async (tx) => {
      const write = (id: string) => tx.updateTable('job').set({ attempt: 1 }).where('id', '=', id).execute()
      // In a deadlock, this transaction would fail: the other one would be repeated.
      if (dialect === 'postgres') await sql`set local deadlock_timeout = '1ms'`.execute(tx)
      await write('e')
      deletion = boss.screen.delete(`${path}?email=${owner.email}`)
      if (dialect === 'postgres') await waitForLock(box.db.q, deletion)
      for (const id of ids) await write(id)
    })
    expect((await deletion)?.status).toBe(200)
    expect(await box.db.q.selectFrom('job').select('id').execute()).toEqual([])
  })

  test('refuses entries that are created for the user meanwhile', async () => {
    const owner = await createPerson(box.context)
    const given = { url: `${target.origin}/200`, owner: owner.email }
    let creation: ReturnType<Screen['post']> | undefined
    await box.db.q.transaction().execute(async (tx) => {
      await removeUser(tx, owner.id)
      creation = boss.screen.post('/api/v1/keepalive', given)
      if (dialect === 'postgres') await waitForLock(box.db.q, creation)
    })
    expect([400, 409]).toContain((await creation)?.status)
  })
})

test('a change on one instance takes effect on another at its next request', async () => {
  const box = await toolbox('postgres')
  const url = box.context.config.databaseUrl!
  const events = createEvents(box.context)
  const other = { ...box.context, db: openPostgres(url), events, metrics: createMetrics() }
  const app = await createApp(other, await createAuth(other))
  const boss = await createSignedInPerson(box, { name: 'boss', username: 'boss', roles: { Admin: 2 } })
  const ada = await createSignedInPerson(box, { name: 'ada', username: 'ada' })
  const otherInstance = browser(app, '192.0.2.9', ada.session.cookie)
  const list = async () => (await otherInstance.get('/api/v1/keepalive/list')).status
  expect(await list()).toBe(200)
  await boss.screen.patch(path, { id: ada.id, roles: { Tools: 0 } })
  expect(await list()).toBe(403)
  await boss.screen.patch(path, { id: ada.id, roles: { Tools: 1, Admin: 1 } })
  expect([await list(), (await otherInstance.get(`${path}s`)).status]).toEqual([200, 200])
  await boss.screen.patch(path, { id: ada.id, status: 1 })
  expect(await list()).toBe(401)
  await app.close()
  await events.close()
  await other.db.close()
  await box.close()
})
