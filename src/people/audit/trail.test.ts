import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import {
  apiKeyClient,
  browser,
  createPerson,
  createSignedInPerson,
  password,
  startSession,
} from '../../../test/support/people.ts'
import { type Toolbox, toolbox } from '../../../test/support/toolbox.ts'
import { cleanUpAccounts } from '../../app.ts'
import { days, minutes, seconds } from '../../shared/time.ts'
import type { Activity, AuditEntry } from './contract.ts'
import { mostOwnADay, writeAudit } from './log.ts'
import { mostRows } from './trail.ts'

const key = { name: 'ci', scopes: ['read'], expiresAt: null }
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

describe.each(dialects)('the sign-in trail on %s', (dialect) => {
  let box: Toolbox
  let boss: Awaited<ReturnType<typeof createSignedInPerson>>
  beforeEach(async () => {
    box = await toolbox(dialect)
    boss = await createSignedInPerson(box, { name: 'boss', roles: { Admin: 2 } })
  })
  afterEach(() => box.close())
  const log = async (query = ''): Promise<AuditEntry[]> => (await boss.screen.get(`/api/v1/admin/audit${query}`)).body
  const summarize = ({ actor, action, address, changes }: AuditEntry) => {
    const values = Object.fromEntries(changes.map(({ field, to }) => [field, to]))
    return [actor, action, address, values]
  }
  const signIn = (username: string, secret: string, remoteAddress: string) =>
    box.app.inject({
      method: 'POST',
      url: '/api/auth/sign-in/username',
      remoteAddress,
      headers: { 'user-agent': firefox },
      payload: { username, password: secret },
    })

  test('records sign-ins, sign-outs and ended sessions, with address and device', async () => {
    const ada = await createPerson(box.context, { name: 'ada', username: 'ada' })
    expect((await signIn('ada', password, '192.0.2.9')).statusCode).toBe(200)
    const screen = browser(box.app, '192.0.2.10')
    for (const step of [() => screen.signIn('ada'), () => screen.delete('/api/v1/user/sessions?others=true')]) {
      box.pass(seconds(1))
      expect((await step()).status).toBe(200)
    }
    box.pass(seconds(1))
    await screen.post('/api/auth/sign-out', {})
    const entries = await log()
    expect(entries.map(summarize)).toEqual([
      [ada.email, 'session.end', '192.0.2.10', {}],
      [ada.email, 'user.sessions', '192.0.2.10', { sessions: 1 }],
      [ada.email, 'session.start', '192.0.2.10', { method: 'password' }],
      [ada.email, 'session.start', '192.0.2.9', { method: 'password' }],
    ])
    expect(entries.at(-1)).toMatchObject({ actorId: ada.id, device: 'Firefox on Linux' })
  })

  test('records the end of a session replaced in the same browser, and of the oldest one over the limit', async () => {
    const ada = await createPerson(box.context, { name: 'ada', username: 'ada' })
    const eve = await createPerson(box.context, { name: 'eve', username: 'eve' })
    const screen = browser(box.app, '192.0.2.10')
    await screen.signIn('ada')
    box.pass(seconds(1))
    await screen.signIn('eve')
    expect((await log()).map(summarize).toSorted()).toEqual([
      [ada.email, 'session.end', '192.0.2.10', {}],
      [ada.email, 'session.start', '192.0.2.10', { method: 'password' }],
      [eve.email, 'session.start', '192.0.2.10', { method: 'password' }],
    ])
    for (let n = 0; n < 19; n += 1) await startSession(box.context, box.auth, eve)
    await browser(box.app, '192.0.2.10').signIn('eve')
    const ended = (await log()).filter(({ action }) => action === 'user.sessions')
    expect(ended.map(summarize)).toEqual([[eve.email, 'user.sessions', '192.0.2.10', { sessions: 1 }]])
  })

  describe('a user over the daily limit for a kind of entry', () => {
    const fill = async (id: string, action: AuditEntry['action'], count = mostOwnADay, target_id = id) => {
      const same = { at: box.now(), actor_id: id, actor: 'x', target_id, target: 'x', address: null, device: null }
      const rows = Array.from({ length: count }, (_, n) => ({
        id: `${id} ${action} ${target_id} ${n}`,
        action,
        ...same,
        changes: '[]',
      }))
      await box.db.q.insertInto('audit').values(rows).execute()
    }
    const countOf = async (id: string) =>
      (await box.db.q.selectFrom('audit').select('id').where('actor_id', '=', id).execute()).length

    test('gets a 429 for further changes, which change nothing, until a day has passed', async () => {
      await createSignedInPerson(box, { name: 'second', roles: { Admin: 2 } })
      const { get, patch, post } = boss.screen
      const calls = [
        ['user.edit', () => patch('/api/v1/user', { email: 'other@example.com' })],
        ['user.edit', () => patch('/api/v1/admin/user', { id: boss.id, name: 'Boss', roles: { Tools: 0 } })],
        ['key.create', () => post('/api/v1/user/apikeys', key)],
        ['data.export', () => get('/api/v1/user/export?secrets=true')],
        ['notification.announce', () => post('/api/v1/admin/notifications', { type: 'info', message: 'x' })],
      ] as const
      for (const action of new Set(calls.map(([action]) => action))) await fill(boss.id, action)
      const before = await countOf(boss.id)
      box.pass(seconds(1))
      for (const [action, call] of calls) {
        const { status, headers } = await call()
        expect([action, status, headers['retry-after']]).toEqual([action, 429, '86399'])
      }
      expect(await countOf(boss.id)).toBe(before)
      const user = await box.db.q.selectFrom('users').select('email').where('id', '=', boss.id).executeTakeFirst()
      expect(user?.email).toBe(boss.email)
      const actor = { id: boss.id, name: 'boss', address: null, device: null }
      const write = () => writeAudit(box.db.q, box.now(), { actor, action: 'key.create' })
      await expect(write()).rejects.toMatchObject({ status: 429 })
      box.pass(days(1))
      await write()
      expect(await countOf(boss.id)).toBe(before + 1)
    })

    test('can still delete keys, sign out and edit other users, and every action is logged', async () => {
      const { id } = (await boss.screen.post('/api/v1/user/apikeys', key)).body
      for (const action of ['key.delete', 'user.edit', 'session.end'] as const) await fill(boss.id, action)
      const ada = await createPerson(box.context, { name: 'ada' })
      const before = await countOf(boss.id)
      expect((await boss.screen.delete(`/api/v1/user/apikeys?id=${id}`)).status).toBe(200)
      expect((await boss.screen.patch('/api/v1/admin/user', { id: ada.id, name: 'Ada' })).status).toBe(200)
      expect(await countOf(boss.id)).toBe(before + 2)
      expect((await boss.screen.post('/api/auth/sign-out')).status).toBe(200)
      expect(await countOf(boss.id)).toBe(before + 3)
    })

    test('can still change their own account after 200 edits of other users', async () => {
      await fill(boss.id, 'user.edit', mostOwnADay, 'somebody else')
      expect((await boss.screen.patch('/api/v1/user', { name: 'Boss' })).status).toBe(200)
    })

    test('gets no session when the sign-in cannot be logged', async () => {
      const ada = await createPerson(box.context, { name: 'ada', username: 'ada' })
      await fill(ada.id, 'session.start', 2_000)
      const answer = await signIn('ada', password, '192.0.2.9')
      expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([429, undefined])
      expect(await box.db.q.selectFrom('sessions').select('id').where('user_id', '=', ada.id).execute()).toEqual([])
      box.pass(days(1))
      expect((await signIn('ada', password, '192.0.2.9')).statusCode).toBe(200)
    })
  })

  test('counts failures of one account and network in one row per 15 minutes', async () => {
    const ada = await createPerson(box.context, { name: 'ada', username: 'ada' })
    const start = box.now()
    for (let guess = 0; guess < 5; guess++) {
      await signIn('ADA', 'wrong', '192.0.2.9')
      box.pass(seconds(1))
    }
    expect((await signIn('ada', password, '192.0.2.9')).statusCode).toBe(429)
    await signIn('ada', 'wrong', '198.51.100.1')
    box.pass(minutes(15))
    await signIn('ada', 'wrong', '192.0.2.9')
    const entries = await log()
    expect(entries.map(summarize)).toEqual([
      [ada.email, 'session.fail', '192.0.2.9', { wrong: 1 }],
      [ada.email, 'session.fail', '198.51.100.1', { wrong: 1 }],
      [ada.email, 'session.fail', '192.0.2.9', { wrong: 5, limited: 1, until: start + seconds(5) }],
    ])
    expect(entries[2]).toMatchObject({ at: start, actorId: ada.id, device: 'Firefox on Linux' })
  })

  test('counts wrong passwords in every form where signed-in users confirm their own', async () => {
    const ada = await createSignedInPerson(box, { name: 'ada', username: 'ada' })
    const [current, chosen] = ['not the password', 'eleven purple violins']
    expect((await ada.screen.patch('/api/v1/user/password', { current, password: chosen })).status).toBe(400)
    expect((await ada.screen.post('/api/auth/two-factor/enable', { password: current })).status).toBe(400)
    expect((await ada.screen.post('/api/v1/auth/proof', { password: current })).status).toBe(400)
    expect((await log()).map(summarize)).toEqual([[ada.email, 'session.fail', '192.0.2.1', { wrong: 3 }]])
  })

  test('names a blocked account, and stores no unknown username', async () => {
    const { email } = await createPerson(box.context, { name: 'ada', username: 'ada', status: 0 })
    expect((await signIn('ada', password, '192.0.2.9')).statusCode).toBe(403)
    for (const typed of ['my dear old password', 'another']) await signIn(typed, password, '192.0.2.9')
    expect((await log()).map(summarize).toSorted()).toEqual([
      ['Unknown username', 'session.fail', '192.0.2.9', { wrong: 2 }],
      [email, 'session.fail', '192.0.2.9', { refused: 1 }],
    ])
    expect(JSON.stringify(await box.db.q.selectFrom('sign_in_failure').selectAll().execute())).not.toContain('dear')
  })

  test('caps the failure rows when many networks guess, and deletes them after 30 days', async () => {
    const ada = await createPerson(box.context)
    const from = (network: number) => ({ address: `10.${network >> 8}.${network & 255}.1`, device: 'curl' })
    const guesses = Array.from({ length: mostRows + 50 }, (_, network) => from(network))
    await Promise.all(guesses.map((origin) => box.auth.trail.recordFailure(undefined, origin, 'wrong')))
    await box.auth.trail.recordFailure(ada, from(9_000), 'code')
    const rows = await box.db.q.selectFrom('sign_in_failure').select(['user_id', 'network', 'wrong', 'code']).execute()
    expect(rows).toHaveLength(mostRows + 2)
    expect(rows.filter(({ network }) => network === '*')).toEqual(
      expect.arrayContaining([
        { user_id: '', network: '*', wrong: 50, code: 0 },
        { user_id: ada.id, network: '*', wrong: 0, code: 1 },
      ]),
    )
    const pages = await log()
    const [last] = (await log(`?before=${pages.at(-1)!.at}`)) as (AuditEntry | undefined)[]
    expect([pages.length, last]).toEqual([mostRows + 2, undefined])
    expect(pages.find(({ actorId }) => actorId === ada.id)).toMatchObject({ address: 'Many networks', device: null })
    box.pass(days(30))
    await cleanUpAccounts(box.context)
    expect(await box.db.q.selectFrom('sign_in_failure').select('at').execute()).toHaveLength(mostRows + 2)
    box.pass(1)
    await cleanUpAccounts(box.context)
    expect(await box.db.q.selectFrom('sign_in_failure').select('at').execute()).toEqual([])
  })

  test('rejects deleting recent failures or lowering their counts, even directly in the database', async () => {
    await box.auth.trail.recordFailure(undefined, { address: '192.0.2.9', device: null }, 'wrong')
    const { q } = box.db
    const row = await q.selectFrom('sign_in_failure').selectAll().executeTakeFirstOrThrow()
    await q
      .insertInto('sign_in_failure')
      .values({ ...row, user_id: 'of today', at: Date.now() })
      .execute()
    await expect(q.deleteFrom('sign_in_failure').execute()).rejects.toThrow('append-only')
    await expect(q.updateTable('sign_in_failure').set({ wrong: 0 }).execute()).rejects.toThrow('append-only')
  })

  test('records once each network from which an API key is used', async () => {
    const { key: token } = (await boss.screen.post('/api/v1/user/apikeys', key)).body
    for (const address of ['192.0.2.7', '192.0.2.8', '2001:db8:1::1', '2001:db8:1:9::1', '192.0.2.7']) {
      box.pass(seconds(1))
      expect((await apiKeyClient(box.app, token, {}, address).get('/api/v1/config')).status).toBe(200)
      await box.auth.background.drained()
    }
    const used = (await log()).filter(({ action }) => action === 'key.use')
    expect(used.map(summarize)).toEqual([
      [`${boss.email} (API key ci)`, 'key.use', '2001:db8:1::1', { network: '2001:db8:1::/48' }],
      [`${boss.email} (API key ci)`, 'key.use', '192.0.2.7', { network: '192.0.2.0/24' }],
    ])
  })

  test('shows users their own activity in pages, without the addresses of other actors', async () => {
    const ada = await createSignedInPerson(box, { name: 'ada', username: 'ada' })
    const other = await createSignedInPerson(box, { name: 'other' })
    const activity = async (query = ''): Promise<Activity[]> =>
      (await ada.screen.get(`/api/v1/user/activity${query}`)).body
    expect(await activity()).toEqual([])
    await signIn('ada', 'wrong', '198.51.100.1')
    box.pass(1)
    await boss.screen.patch('/api/v1/admin/user', { id: ada.id, name: 'Ada' })
    box.pass(1)
    await ada.screen.post('/api/v1/user/apikeys', key)
    await other.screen.post('/api/v1/user/apikeys', { ...key, name: 'others' })
    const entries = await activity()
    expect(entries.map(({ action, byYou, address, target }) => [action, byYou, address, target])).toEqual([
      ['key.create', true, '192.0.2.1', 'ci'],
      ['user.edit', false, null, null],
      ['session.fail', true, '198.51.100.1', null],
    ])
    expect(JSON.stringify(entries)).not.toContain(boss.email)
    const actor = { id: ada.id, name: ada.email, address: null, device: null }
    for (let at = 1; at <= 60; at++) await writeAudit(box.db.q, at, { actor, action: 'key.create' })
    const first = await activity()
    const second = await activity(`?before=${first.at(-1)!.at}`)
    expect([first.length, second.length]).toEqual([50, 13])
    expect((await ada.screen.get('/api/v1/user/activity?before=x')).status).toBe(400)
  })
})
