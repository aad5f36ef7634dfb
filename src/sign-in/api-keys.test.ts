import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dialects, racingDialects } from '../../test/support/database/databases.ts'
import { apiKeyClient, browser } from '../../test/support/people.ts'
import { keyScene } from '../../test/support/scenes/key-scene.ts'
import { instantOf } from '../platform/db/storable.ts'
import { days, minutes, seconds } from '../shared/time.ts'
import { Active, Blocked, Inactive } from '../shared/user.ts'

const path = '/api/v1/user/apikeys'
const entries = '/api/v1/keepalive'
const both = ['read', 'write']

describe.each(dialects)('an API key on %s', async (dialect) => {
  const { box, signedIn, withKey } = await keyScene(dialect)
  const setStatus = (id: string, status: number) =>
    box.db.q.updateTable('users').set({ status }).where('id', '=', id).execute()
  const rowOf = (id: string) =>
    box.db.q.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  test('is shown once, and only its hash is stored', async () => {
    const { screen, created, person } = await withKey()
    expect(created.key).toMatch(/^tbx_[\w-]{43}$/)
    const { key, ...listed } = created
    expect(listed).toEqual({
      id: expect.any(String),
      name: 'deploy',
      last4: key.slice(-4),
      scopes: both,
      createdAt: box.now(),
      lastUsedAt: null,
      expiresAt: null,
    })
    expect((await screen.get(path)).body).toEqual([listed])
    const row = await rowOf(created.id)
    expect(row.hash).toBe(createHash('sha256').update(key).digest('hex'))
    const stored = [
      row,
      ...(await box.db.q.selectFrom('audit').selectAll().where('actor_id', '=', person.id).execute()),
    ]
    expect(JSON.stringify(stored)).not.toContain(key.slice(4, -4))
  })

  test('acts as its owner even with another user’s cookie, and needs no XSRF token', async () => {
    const { person, created } = await withKey()
    const stranger = await signedIn()
    const cookie = Object.entries(stranger.cookie).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const program = apiKeyClient(box.app, created.key, { cookie: cookie.join('; ') })
    expect((await program.get('/api/v1/auth/session')).body.user.id).toBe(person.id)
    const entry = await program.post(entries, { url: 'http://127.0.0.1:9/' })
    expect([entry.status, entry.body.owner]).toEqual([201, person.email])
    const shouting = apiKeyClient(box.app, created.key, { authorization: `BEARER  ${created.key}` })
    expect((await shouting.get('/api/v1/auth/session')).body.user.id).toBe(person.id)
  })

  test('is rejected if invalid, even with a valid session cookie', async () => {
    const { person, cookie } = await signedIn()
    const header = Object.entries(cookie).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)[0]!
    for (const wrong of ['tbx_', 'tbx_wrong', `tbx_${'A'.repeat(43)}`, 'TBX_wrong', 'tbx_a b', 'tbx_é']) {
      const program = apiKeyClient(box.app, wrong, { cookie: header })
      const { status, body } = await program.get('/api/v1/user/summary')
      expect([status, body]).toEqual([401, { error: 'This API key is invalid, expired or suspended.' }])
      expect((await program.get('/api/v1/auth/session')).body).toEqual({ user: null })
      expect((await program.post(entries, { url: 'http://127.0.0.1:9/' })).status).toBe(401)
    }
    // A bearer token without the prefix of our keys is ignored.
    const other = apiKeyClient(box.app, 'eyJhbGciOi', { cookie: header })
    expect((await other.get('/api/v1/auth/session')).body.user.id).toBe(person.id)
    expect((await apiKeyClient(box.app, 'eyJhbGciOi').get('/api/v1/user/summary')).body).toEqual({
      error: 'Sign in first.',
    })
  })

  test('has the permissions of its owner and no more', async () => {
    const { program } = await withKey({ roles: { Tools: 1 } })
    const other = await signedIn({ roles: { Tools: 1 } })
    const { id } = (await other.screen.post(entries, { url: 'http://127.0.0.1:9/' })).body
    expect((await program.get(`${entries}/list`)).body).toEqual([])
    expect((await program.get(`${entries}?id=${id}`)).status).toBe(404)
    expect((await program.get('/api/v1/admin/users')).status).toBe(403)
    const roleless = await withKey({ roles: { Tools: 0 } })
    expect((await roleless.program.get(`${entries}/list`)).status).toBe(403)
  })

  test('cannot change the status, roles, email or username of a user, even if its owner is an admin', async () => {
    const { program, person } = await withKey({ username: `key-${dialect}`, roles: { Admin: 2, Tools: 2 } })
    const { person: other } = await signedIn({ status: Inactive })
    const before = await program.get(`/api/v1/admin/user?email=${other.email}`)
    expect(before.body).not.toHaveProperty('apiKeys')
    const edits = [
      { status: Active },
      { roles: { Admin: 2 } },
      { email: 'thief@example.com' },
      { credUsername: 'thief' },
      { name: 'renamed', roles: { ...before.body.roles, Tools: 2 } },
    ]
    for (const edit of edits) {
      const { status, body } = await program.patch('/api/v1/admin/user', { id: other.id, ...edit })
      expect([status, body]).toEqual([403, { error: "API keys can't do this. Sign in instead." }])
    }
    expect((await program.get(`/api/v1/admin/user?email=${other.email}`)).body).toEqual(before.body)
    expect((await browser(box.app, '192.0.2.9').signIn(person.username!)).status).toBe(200)
  })

  test('of an admin can rename a user by sending back the whole record', async () => {
    const { program, person } = await withKey({ roles: { Admin: 2 } })
    const { person: other } = await signedIn()
    const { body: record } = await program.get(`/api/v1/admin/user?email=${other.email}`)
    const saved = await program.patch('/api/v1/admin/user', { ...record, name: 'Renamed' })
    expect([saved.status, saved.body.name]).toEqual([200, 'Renamed'])
    const edit = box.db.q.selectFrom('audit').select('actor').where('target_id', '=', other.id)
    expect(await edit.execute()).toEqual([{ actor: `${person.email} (API key deploy)` }])
  })

  test('stops working while its owner is blocked or inactive, and works again afterwards', async () => {
    const { program, person } = await withKey()
    const status = async () => (await program.get('/api/v1/user/summary')).status
    for (const [state, expected] of [
      [Blocked, 401],
      [Active, 200],
      [Inactive, 401],
      [Active, 200],
    ] as const) {
      await setStatus(person.id, state)
      expect(await status()).toBe(expected)
    }
  })

  test('expires at exactly the given instant, which must be in the future on creation', async () => {
    const { program, screen } = await withKey({}, { expiresAt: box.now() + minutes(5) })
    box.pass(minutes(5) - 1)
    expect((await program.get('/api/v1/user/summary')).status).toBe(200)
    box.pass(1)
    expect((await program.get('/api/v1/user/summary')).status).toBe(401)
    expect((await screen.get(path)).body).toHaveLength(1)
    for (const expiresAt of [box.now(), 0, -1, 8.7e15, '2027-01-01', 1.5]) {
      const { status, body } = await screen.post(path, { name: 'late', scopes: both, expiresAt })
      expect([status, Object.keys(body.fields)]).toEqual([400, ['expiresAt']])
    }
    expect((await screen.get(path)).body).toHaveLength(1)
  })

  test('is rejected with an invalid name, missing, repeated or unknown scopes, or an unknown field', async () => {
    const { screen } = await signedIn()
    for (const [wrong, field] of [
      [{ name: ' ' }, 'name'],
      [{ name: '\u200b' }, 'name'],
      [{ name: 'x'.repeat(61) }, 'name'],
      [{ name: 'a\u0000b' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['read', 'read'] }, 'scopes'],
      [{ scopes: ['admin'] }, 'scopes'],
      [{ userId: 'u' }, 'userId'],
    ] as const) {
      const { status, body } = await screen.post(path, { name: 'deploy', scopes: both, expiresAt: null, ...wrong })
      expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
    }
  })

  test('can read the metrics if it has the read scope and its owner has Admin access', async () => {
    const metrics = async (program: ReturnType<typeof apiKeyClient>) => (await program.get('/metrics')).status
    expect(await metrics((await withKey({ roles: { Admin: 1 } })).program)).toBe(200)
    expect(await metrics((await withKey({ roles: { Admin: 0 } })).program)).toBe(403)
    expect(await metrics((await withKey({ roles: { Admin: 1 } }, { scopes: ['write'] })).program)).toBe(403)
    expect(await metrics(apiKeyClient(box.app, 'tbx_wrong'))).toBe(403)
    const { screen } = await signedIn({ roles: { Admin: 2 } })
    expect((await screen.get('/metrics')).status).toBe(403)
  })

  test('can be deleted only by its owner, and stops working immediately', async () => {
    const { program, created, screen } = await withKey()
    const stranger = await signedIn({ roles: { Admin: 2, Tools: 2 } })
    expect((await stranger.screen.delete(`${path}?id=${created.id}`)).status).toBe(404)
    expect((await program.get('/api/v1/user/summary')).status).toBe(200)
    expect((await screen.delete(`${path}?id=${created.id}`)).body).toEqual({ id: created.id })
    expect((await program.get('/api/v1/user/summary')).status).toBe(401)
    expect((await screen.delete(`${path}?id=${created.id}`)).status).toBe(404)
  })

  test('is logged on creation and deletion', async () => {
    const { created, screen, person } = await withKey({}, { scopes: ['read'], expiresAt: box.now() + days(1) })
    await screen.delete(`${path}?id=${created.id}`)
    const rows = await box.db.q
      .selectFrom('audit')
      .select(['action', 'actor', 'target', 'target_id', 'address', 'changes'])
      .where('actor_id', '=', person.id)
      .execute()
    const log = rows.map((row) => ({ ...row, changes: JSON.parse(row.changes) }))
    const common = { actor: person.email, target: 'deploy', target_id: created.id, address: '192.0.2.1' }
    const changes = [
      { field: 'scopes', from: null, to: ['read'] },
      { field: 'expiresAt', from: null, to: box.now() + days(1) },
    ]
    expect(log).toHaveLength(2)
    expect(log).toContainEqual({ ...common, action: 'key.create', changes })
    expect(log).toContainEqual({ ...common, action: 'key.delete', changes: [] })
  })

  test('records its last use and its owner’s at most once a minute', async () => {
    const { program, created, person } = await withKey()
    const uses = async () => {
      await box.auth.background.drained()
      const query = box.db.q.selectFrom('users').select('last_usage_timestamp').where('id', '=', person.id)
      const { last_usage_timestamp: user } = await query.executeTakeFirstOrThrow()
      return [(await rowOf(created.id)).last_used_at, user && instantOf(user)]
    }
    const createdAt = box.now()
    expect(await uses()).toEqual([null, createdAt])
    box.pass(seconds(30))
    const first = box.now()
    await program.get('/api/v1/user/summary')
    expect(await uses()).toEqual([first, createdAt])
    box.pass(seconds(59))
    await program.get('/api/v1/user/summary')
    expect(await uses()).toEqual([first, box.now()])
    box.pass(seconds(1))
    await program.get('/api/v1/user/summary')
    expect(await uses()).toEqual([box.now(), box.now() - seconds(1)])
  })
})

describe.each(racingDialects)('API keys on %s', async (dialect) => {
  const { signedIn } = await keyScene(dialect)

  test('are limited to 50 per user, even with concurrent requests', async () => {
    const { screen } = await signedIn()
    const make = () => screen.post(path, { name: 'one of many', scopes: ['read'], expiresAt: null })
    const statuses = (await Promise.all(Array.from({ length: 60 }, make))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(50)
    expect(statuses.filter((status) => status === 409)).toHaveLength(10)
    const keys = (await screen.get(path)).body
    expect(keys).toHaveLength(50)
    expect((await screen.delete(`${path}?id=${keys[0].id}`)).status).toBe(200)
    expect((await make()).status).toBe(201)
  })
})
