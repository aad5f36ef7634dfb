import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { addPasskey, enterPasskey, softPasskey, turnOnApp } from '../../test/support/authenticator.ts'
import { type Dialect, dialects, racingDialects } from '../../test/support/database/databases.ts'
import { startFakeOpenId } from '../../test/support/fakes/fake-openid.ts'
import { createPerson, startSession } from '../../test/support/people.ts'
import {
  boxWithProviders,
  linkAt,
  refusalPath,
  returnFromProvider,
  type Screen,
  signInAt,
  startAtProvider,
} from '../../test/support/scenes/round-trip.ts'
import { claimedLevels } from '../../test/support/sign-in-cases.ts'
import { linkAccount } from '../people/sign-in-methods.ts'
import { createUser } from '../people/store.ts'
import { accessChanged, type LiveEvent } from '../platform/live/events.ts'
import { seconds } from '../shared/time.ts'
import { Active, Blocked, formatRoles, type Roles } from '../shared/user.ts'
import { openRequest, requestOf } from './access/store.ts'

const id = '004_OIDC'
const secondStep = '/api/auth/two-factor'

async function claimScene(dialect: Dialect) {
  const fake = await startFakeOpenId()
  const it = await boxWithProviders(dialect, {
    ...fake.env,
    OIDC_ROLES_CLAIM: 'groups',
    REQUIRE_SECOND_FACTOR: 'admins',
  })
  afterAll(async () => {
    await it.close()
    await fake.close()
  })
  // Only users whom a test promotes are admins.
  beforeEach(async () => {
    await it.box.db.q
      .updateTable('users')
      .set({ roles: JSON.stringify({ Admin: 0, Tools: 0 }) })
      .execute()
  })
  const signIn = async (groups: unknown, person = it.somebody()) => {
    fake.behave({ claims: groups === undefined ? {} : { groups } })
    return it.enter(fake, person)
  }
  return { fake, it, signIn }
}

describe.each(dialects)('role levels from an OpenID provider on %s', async (dialect) => {
  const { fake, it, signIn } = await claimScene(dialect)
  const admin = (name: string, status?: number) => {
    const roles: Roles = { Admin: 2, Tools: 0 }
    const email = `${name}-${people++}@example.com`
    const user = { name, email, emailVerified: true, roles, status, credentials: { username: email, hash: '-' } }
    return createUser(it.box.db, it.box.db.q, user, it.box.now())
  }
  const setLevels = (userId: string, words: string) => {
    const [Admin = 0, Tools = 0] = ['Admin', 'Tools'].map((name) =>
      Number(new RegExp(`${name} (\\d)`).exec(words)?.[1] ?? 0),
    )
    return it.box.db.q
      .updateTable('users')
      .set({ roles: JSON.stringify({ Admin, Tools }) })
      .where('id', '=', userId)
      .execute()
  }
  let people = 0
  const auditOf = async (userId: string) => {
    const rows = await it.box.db.q
      .selectFrom('audit')
      .selectAll()
      .where('target_id', '=', userId)
      .where('action', '=', 'user.edit')
      .orderBy('at', 'desc')
      .execute()
    return rows.map(({ actor, actor_id, changes }) => ({ actor, actor_id, changes: JSON.parse(changes) }))
  }
  const toldTo = async (userId: string) =>
    (await it.box.db.q.selectFrom('notification').select('message').where('user_id', '=', userId).execute()).map(
      ({ message }) => message,
    )

  test.each(claimedLevels)('$claim: from $before to $after (others: $others)', async ({ claim, ...row }) => {
    const { person, user } = await signIn(undefined)
    await setLevels(user.id, row.before)
    if (row.others === 'yes') await admin('somebody else')
    const [after, notice] = row.after.split(', and ')
    expect(formatRoles((await signIn(claim === 'missing' ? undefined : claim, person)).user.roles)).toBe(after)
    expect((await toldTo(user.id)).length).toBe(notice === undefined ? 0 : 1)
  })

  test('are logged with the provider as actor, only when they change', async () => {
    const { person, user } = await signIn(['toolbox:tools'])
    it.box.pass(1_000)
    await signIn(['toolbox:tools'], person)
    await signIn([], person)
    const by = { actor: 'OpenID', actor_id: null }
    expect(await auditOf(user.id)).toEqual([
      { ...by, changes: [{ field: 'roles.Tools', from: 1, to: 0 }] },
      { ...by, changes: [{ field: 'roles.Tools', from: 0, to: 1 }] },
    ])
  })

  test('may come from the userinfo endpoint', async () => {
    fake.behave({ userInfo: { groups: ['toolbox:tools:all'] } })
    expect((await it.enter(fake)).user.roles).toEqual({ Admin: 0, Tools: 2 })
  })

  test('close an open access request', async () => {
    const { person, user } = await signIn([])
    const request = { userId: user.id, kind: 'request', message: null } as const
    await openRequest(it.box.db.q, request, it.box.now())
    await signIn([], person)
    expect((await requestOf(it.box.db.q, user.id))?.decided_at).toBeNull()
    await signIn(['toolbox:tools'], person)
    expect((await requestOf(it.box.db.q, user.id))?.decided_at).toBe(it.box.now())
  })

  test('take effect immediately on open screens', async () => {
    const { person, user } = await signIn([])
    const events: LiveEvent[] = []
    const stop = it.box.context.events.subscribe((event) => events.push(event))
    await signIn(['toolbox:tools'], person)
    stop()
    expect(events).toContainEqual(accessChanged(user.id))
  })

  test('never demote the last active admin, who is notified', async () => {
    const { person, user } = await signIn(['toolbox:admin', 'toolbox:tools'])
    await admin('blocked', Blocked)
    it.box.pass(1_000)
    const { user: after } = await signIn([], person)
    expect(after.roles).toEqual({ Admin: 2, Tools: 0 })
    const [last] = await auditOf(user.id)
    expect(last?.changes).toEqual([
      { field: 'roles.Tools', from: 1, to: 0 },
      { field: 'lastAdmin', from: null, to: 0 },
    ])
    expect(await toldTo(user.id)).toEqual([expect.stringContaining('you keep the role')])
    expect((await signIn(['toolbox:admin:read'], person)).user.roles.Admin).toBe(2)
    const { id: former } = await createPerson(it.box.context, { roles: { Admin: 2 } })
    const account = { providerId: id, accountId: 'https://former.example#1', accountUsername: 'former' }
    await linkAccount(it.box.db, it.box.db.q, former, account, it.box.now())
    expect((await signIn(['toolbox:admin:read'], person)).user.roles.Admin).toBe(2)
    await admin('another')
    expect((await signIn(['toolbox:admin:read'], person)).user.roles.Admin).toBe(1)
  })

  test('are not applied by linking an account, or by a refused sign-in', async () => {
    const me = await createPerson(it.box.context)
    fake.behave({ claims: { groups: ['toolbox:admin'] } })
    fake.person(it.somebody())
    const screen = it.visitor((await startSession(it.box.context, it.box.auth, me)).cookie)
    await linkAt(screen, id)
    expect((await screen.get('/api/v1/auth/session')).body.user.roles.Admin).toBe(0)
    const { person, user } = await signIn(undefined)
    await it.box.db.q.updateTable('users').set({ status: Blocked }).where('id', '=', user.id).execute()
    fake.behave({ claims: { groups: ['toolbox:admin'] } })
    fake.person(person)
    expect(await signInAt(it.visitor(), id)).toMatchObject({ to: refusalPath })
    const row = await it.box.db.q.selectFrom('users').select('admin_level').where('id', '=', user.id).executeTakeFirst()
    expect(row?.admin_level).toBe(0)
  })

  /** Turns on an authenticator app in this browser; returns how to enter its next code in another one. */
  const codeEntry = async (own: Screen) => {
    const { code } = await turnOnApp(it.box, own)
    return (screen: Screen) => {
      it.box.pass(seconds(30))
      return screen.post(`${secondStep}/verify-totp`, { code: code() })
    }
  }

  test('apply when an account is linked after the second step', async () => {
    const { person, screen: own } = await it.enter(it.discord)
    const enterCode = await codeEntry(own)
    const { user, screen } = await signIn(['toolbox:tools:all'], { ...person, id: `9${person.id}` })
    expect(user).toBeNull()
    expect((await enterCode(screen)).body.user.roles).toEqual({ Admin: 0, Tools: 2 })
  })

  test.each([
    ['raised', ['toolbox:admin', 'toolbox:tools:all'], { Admin: 2, Tools: 2 }],
    ['lowered', [], { Admin: 0, Tools: 0 }],
  ])('are %s only after the second step', async (_, claim, after) => {
    const before = { Admin: 0, Tools: 1 }
    const person = { ...it.somebody(), verified: false }
    const { user, screen: own } = await signIn(['toolbox:tools'], person)
    const enterCode = await codeEntry(own)
    const now = async () => (await own.get('/api/v1/auth/session')).body.user
    const edits = (await auditOf(user.id)).length

    const { user: nobody, screen } = await signIn(claim, { ...person, verified: true })
    expect(nobody).toBeNull()
    expect((await screen.post(`${secondStep}/verify-totp`, { code: '000000' })).status).toBe(401)
    expect(await now()).toMatchObject({ roles: before, emailVerified: false })
    expect(await auditOf(user.id)).toHaveLength(edits)

    expect((await enterCode(screen)).body.user).toMatchObject({ id: user.id, roles: after, emailVerified: true })
    expect((await now()).roles).toEqual(after)
    // Two entries: the levels and the verified email.
    expect(await auditOf(user.id)).toHaveLength(edits + 2)
  })

  test('are not applied if the user is blocked, or the account is unlinked, before the second step', async () => {
    const { person, user, screen: own } = await signIn([])
    const enterCode = await codeEntry(own)
    const stored = async () => {
      const { q } = it.box.db
      const { roles } = await q.selectFrom('users').select('roles').where('id', '=', user.id).executeTakeFirstOrThrow()
      const links = await q.selectFrom('provider_links').select('id').where('user_id', '=', user.id).execute()
      return { roles: JSON.parse(roles), links: links.length }
    }
    const setStatus = (status: number) =>
      it.box.db.q.updateTable('users').set({ status }).where('id', '=', user.id).execute()

    const blocked = await signIn(['toolbox:admin'], person)
    await setStatus(Blocked)
    expect((await enterCode(blocked.screen)).status).toBe(403)
    expect(await stored()).toEqual({ roles: { Admin: 0, Tools: 0 }, links: 1 })

    await setStatus(Active)
    const { screen } = await signIn(['toolbox:admin'], person)
    await it.box.db.q.deleteFrom('provider_links').where('user_id', '=', user.id).execute()
    expect((await enterCode(screen)).body.user).toMatchObject({ id: user.id, roles: { Admin: 0, Tools: 0 } })
    expect(await stored()).toEqual({ roles: { Admin: 0, Tools: 0 }, links: 0 })
  })

  test('leave no session if they cannot be set after the second step', async () => {
    const { person, user, screen: own } = await signIn(['toolbox:admin'])
    const enterCode = await codeEntry(own)
    const { screen } = await signIn([], person)
    const sessionsOf = () => it.box.db.q.selectFrom('sessions').select('id').where('user_id', '=', user.id).execute()
    const before = await sessionsOf()
    vi.spyOn(it.box.context.admission, 'signInWithProvider').mockRejectedValueOnce(new Error('The database fails'))
    expect((await enterCode(screen)).status).toBe(500)
    expect((await screen.get('/api/v1/auth/session')).body.user).toBeNull()
    expect(await sessionsOf()).toEqual(before)
  })

  test.each(['linked', 'not linked'])('wait for the second step that they require (account %s)', async (isLinked) => {
    const person = it.somebody()
    const name = `passkey-${people++}-${dialect}`
    const me = await createPerson(it.box.context, { name, username: name.toLowerCase(), roles: { Tools: 0 } })
    const own = it.visitor((await startSession(it.box.context, it.box.auth, me)).cookie)
    await own.get('/api/v1/auth/session')
    const device = softPasskey(it.box.context.config.baseUrl)
    expect((await addPasskey(own, device)).status).toBe(201)
    fake.person({ ...person, email: me.email })
    if (isLinked === 'linked') await linkAt(own, id)

    const { user, screen } = await signIn(['toolbox:admin'], { ...person, email: me.email })
    expect(user).toBeNull()
    expect((await own.get('/api/v1/auth/session')).body.user).toMatchObject({ roles: { Admin: 0, Tools: 0 } })
    expect((await screen.get('/api/v1/auth/second-step')).body).toEqual({ methods: ['passkey'] })
    const { body } = await enterPasskey(screen, device)
    expect(body.user).toMatchObject({ id: me.id, roles: { Admin: 2, Tools: 0 } })
    expect(body.user.providers).toHaveLength(2)
  })

  test('do not allow taking over an admin’s account by email', async () => {
    const email = `root-${people++}@example.com`
    const roles: Roles = { Admin: 2, Tools: 0 }
    await createUser(it.box.db, it.box.db.q, { name: 'root', email, emailVerified: true, roles }, it.box.now())
    const { user } = await signIn(['toolbox:admin'], { ...it.somebody(), email })
    expect(user).toBeNull()
  })
})

describe.each(racingDialects)('concurrent changes of role levels by an OpenID provider on %s', async (dialect) => {
  const { fake, it, signIn } = await claimScene(dialect)

  test('leave one admin when two lose their claims at the same time', async () => {
    const both = [await signIn(['toolbox:admin']), await signIn(['toolbox:admin'])]
    fake.behave({ claims: { groups: [] } })
    const backs: string[] = []
    for (const { person, screen } of both) {
      fake.person(person)
      backs.push(await startAtProvider(screen, { provider: id }))
    }
    await Promise.all(both.map(({ screen }, n) => returnFromProvider(screen, backs[n]!)))
    const admins = await it.box.db.q.selectFrom('users').select('id').where('admin_level', '=', 2).execute()
    expect(admins).toHaveLength(1)
  })
})
