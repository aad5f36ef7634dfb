import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import {
  browser,
  createPerson,
  createSignedInPerson as signedInPerson,
  startSession,
} from '../../test/support/people.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'
import { cleanUpAccounts } from '../app.ts'
import { createBackground } from '../platform/background.ts'
import { instantOf } from '../platform/db/storable.ts'
import { days, hours, minutes, seconds } from '../shared/time.ts'
import { recordUsage } from './sessions.ts'

describe.each(dialects)('a session on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))

  async function signedIn(details: Parameters<typeof createPerson>[1] = {}) {
    const { session, screen, ...person } = await signedInPerson(box, details)
    return { person, session, screen }
  }
  const whoIs = async (screen: ReturnType<typeof browser>) => {
    const id = (await screen.get('/api/v1/auth/session')).body.user?.id ?? null
    await box.auth.background.drained()
    return id
  }
  const rowOf = (id: string) =>
    box.db.q.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const lastUsage = async (id: string) => {
    await box.auth.background.drained()
    const row = await box.db.q
      .selectFrom('users')
      .select('last_usage_timestamp')
      .where('id', '=', id)
      .executeTakeFirst()
    return row?.last_usage_timestamp ? instantOf(row.last_usage_timestamp) : null
  }

  test('is not found with a changed, truncated or made-up cookie', async () => {
    const { session } = await signedIn()
    const [name, value] = Object.entries(session.cookie)[0]!
    const other = value.startsWith('A') ? `B${value.slice(1)}` : `A${value.slice(1)}`
    for (const forged of [other, value.slice(0, -3), session.token, `${session.token}.`, '.', '', `%E0%A4%A.${value}`])
      expect(await whoIs(browser(box.app, '192.0.2.1', { [name]: forged }))).toBeNull()
  })

  test('lasts seven days unused, and at most 30 days in use', async () => {
    const { screen, session, person } = await signedIn()
    const unused = await signedIn()
    const end = box.now() + days(30)
    for (let day = 1; day < 30; day++) {
      box.pass(days(1))
      expect(await whoIs(screen)).toBe(person.id)
      expect(instantOf((await rowOf(session.id)).expires_at)).toBe(Math.min(box.now() + days(7), end))
      if (day === 7) expect(await whoIs(unused.screen)).toBeNull()
    }
    box.pass(days(1))
    expect(await whoIs(screen)).toBeNull()
  })

  test('from an older version, which renewed sessions without a limit, also ends after 30 days', async () => {
    const { screen, session, person } = await signedIn()
    const other = browser(box.app, '192.0.2.2', (await startSession(box.context, box.auth, person)).cookie)
    const old = { created_at: box.db.timestamp(box.now() - days(30)) }
    await box.db.q.updateTable('sessions').set(old).where('id', '=', session.id).execute()
    expect(await whoIs(screen)).toBeNull()
    expect((await other.get('/api/v1/user/sessions')).body).toHaveLength(1)
    await cleanUpAccounts(box.context)
    const own = box.db.q.selectFrom('sessions').select('id').where('user_id', '=', person.id)
    expect(await own.execute()).toHaveLength(1)
  })

  test('ends when another one starts in its browser, even for another user', async () => {
    const ada = await signedIn({ username: `replaced-${dialect}` })
    const bob = await createPerson(box.context, { username: `replacing-${dialect}` })
    const cookies = Object.fromEntries(ada.screen.jar)
    const elsewhere = browser(box.app, '192.0.2.2', (await startSession(box.context, box.auth, ada.person)).cookie)
    expect((await ada.screen.signIn(bob.username!, 'not the password')).status).toBe(401)
    expect(await whoIs(ada.screen)).toBe(ada.person.id)
    for (const person of [ada.person, bob]) {
      expect((await ada.screen.signIn(person.username!)).status).toBe(200)
      expect(await whoIs(ada.screen)).toBe(person.id)
      expect(await whoIs(browser(box.app, '192.0.2.1', cookies))).toBeNull()
    }
    expect((await elsewhere.get('/api/v1/user/sessions')).body).toHaveLength(1)
  })

  test('is limited to 20 per user; the oldest ends', async () => {
    const { person, screen, session } = await signedIn({ username: `many-${dialect}` })
    const stranger = await signedIn()
    for (let n = 0; n < 19; n++) {
      box.pass(1)
      await startSession(box.context, box.auth, person)
    }
    expect(await whoIs(screen)).toBe(person.id)
    const newest = browser(box.app, '192.0.2.9')
    expect((await newest.signIn(person.username!)).status).toBe(200)
    const list: { id: string }[] = (await newest.get('/api/v1/user/sessions')).body
    expect(list).toHaveLength(20)
    expect(list.map(({ id }) => id)).not.toContain(session.id)
    expect(await whoIs(screen)).toBeNull()
    expect(await whoIs(stranger.screen)).toBe(stranger.person.id)
  })

  test('is renewed once a day, and its cookie on each request for the session', async () => {
    const { screen, session } = await signedIn()
    box.pass(hours(23))
    const answer = await screen.get('/api/v1/auth/session')
    expect([answer.headers['set-cookie']].flat().join()).toContain('Max-Age=604800')
    expect(instantOf((await rowOf(session.id)).expires_at)).toBe(box.now() + days(7) - hours(23))
  })

  test('records its user’s last use at most once a minute', async () => {
    const { person, screen } = await signedIn()
    const first = box.now()
    expect(await lastUsage(person.id)).toBe(first)
    box.pass(seconds(59))
    await screen.get('/api/v1/user/sessions')
    expect(await lastUsage(person.id)).toBe(first)
    box.pass(seconds(1))
    await screen.get('/api/v1/user/sessions')
    expect(await lastUsage(person.id)).toBe(box.now())
  })

  test('lists its own last use, accurate to a minute, separately from other sessions', async () => {
    const { person, screen, session } = await signedIn()
    const second = await startSession(box.context, box.auth, person)
    const other = browser(box.app, '192.0.2.2', second.cookie)
    const lastUses = async () => {
      await box.auth.background.drained()
      const list: { id: string; lastUsedAt: number }[] = (await screen.get('/api/v1/user/sessions')).body
      return [session, second].map(({ id }) => list.find((one) => one.id === id)!.lastUsedAt)
    }
    const startedAt = box.now()
    await other.get('/api/v1/auth/session')
    expect(await lastUses()).toEqual([startedAt, startedAt])
    box.pass(seconds(59))
    await other.get('/api/v1/auth/session')
    expect(await lastUses()).toEqual([startedAt, startedAt])
    box.pass(seconds(1))
    await other.get('/api/v1/auth/session')
    const first = box.now()
    box.pass(seconds(30))
    expect((await lastUses())[1]).toBe(first)
    expect((await lastUses())[0]).toBe(box.now())
    expect(await lastUsage(person.id)).toBe(first)
  })

  test('records its use once for concurrent requests, even across instances', async () => {
    const { person, screen, session } = await signedIn()
    await box.auth.background.drained()
    box.pass(minutes(2))
    const at = box.now()
    const late = { ...box.context, now: () => at + 5 }
    const row = { id: person.id, last_usage_timestamp: null, last_used_at: null }
    const other = createBackground(box.context.log)
    await Promise.all(Array.from({ length: 20 }, () => screen.get('/api/v1/user/sessions')))
    await box.auth.background.drained()
    recordUsage(late, other, row, { table: 'sessions', id: session.id }, late.now())
    await other.drained()
    expect(await lastUsage(person.id)).toBe(at)
    expect((await rowOf(session.id)).last_used_at).toBe(at)
  })

  test('can be listed and ended only by its owner', async () => {
    const { person, screen, session } = await signedIn()
    const second = await startSession(box.context, box.auth, person)
    const third = await startSession(box.context, box.auth, person)
    const stranger = await signedIn()
    const list = (await screen.get('/api/v1/user/sessions')).body
    expect(list.map((one: { id: string }) => one.id).sort()).toEqual([session.id, second.id, third.id].sort())
    expect(list.filter((one: { current: boolean }) => one.current)).toHaveLength(1)
    expect((await stranger.screen.delete(`/api/v1/user/sessions?id=${second.id}`)).status).toBe(404)
    expect((await screen.delete(`/api/v1/user/sessions?id=${second.id}`)).body).toEqual({ ended: 1 })
    expect(await whoIs(browser(box.app, '192.0.2.1', second.cookie))).toBeNull()
    expect((await screen.delete('/api/v1/user/sessions?others=true')).body).toEqual({ ended: 1 })
    expect((await screen.get('/api/v1/user/sessions')).body).toHaveLength(1)
    expect((await screen.delete('/api/v1/user/sessions')).status).toBe(400)
    expect(await whoIs(stranger.screen)).toBe(stranger.person.id)
  })

  test('is deleted after it has expired', async () => {
    const { session } = await signedIn()
    const live = async () => (await box.db.q.selectFrom('sessions').select('id').execute()).map(({ id }) => id)
    await cleanUpAccounts(box.context)
    expect(await live()).toContain(session.id)
    box.pass(days(7))
    await cleanUpAccounts(box.context)
    expect(await live()).toEqual([])
    expect(await box.db.q.selectFrom('rate_limits').select('id').execute()).toEqual([])
  })
})

test('over https, the session cookie is Secure and has the __Host- prefix', async () => {
  const box = await toolbox('sqlite', { BASE_URL: 'https://tools.example.com' })
  await createPerson(box.context, { username: 'gus' })
  const screen = browser(box.app)
  const answer = await screen.signIn('gus')
  const cookie = [answer.headers['set-cookie']].flat().find((line) => line?.startsWith('__Host-toolbox.session_token='))
  expect(cookie).toMatch(/HttpOnly/i)
  expect(cookie).toMatch(/Path=\//)
  expect(cookie).not.toMatch(/Domain/i)
  expect(cookie).toMatch(/Secure/)
  expect(cookie).toMatch(/SameSite=Lax/i)
  expect((await screen.get('/api/v1/auth/session')).body.user.credUsername).toBe('gus')
  await box.close()
})
