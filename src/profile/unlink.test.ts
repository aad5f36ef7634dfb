import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, startSession } from '../../test/support/people.ts'
import { closeAfterwards, recordEvents, toolbox } from '../../test/support/toolbox.ts'
import { signInChanged } from '../notices/account-changes.ts'
import { linkAccount } from '../people/sign-in-methods.ts'
import { createUser } from '../people/store.ts'

const env = { DISCORD_CLIENT_ID: 'a', DISCORD_CLIENT_SECRET: 'b', GITHUB_CLIENT_ID: 'c', GITHUB_CLIENT_SECRET: 'd' }

describe.each(dialects)('removing a sign-in method on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect, env))

  const link = async (userId: string, providerId: string) => {
    const accountId = randomUUID()
    await linkAccount(box.db, box.db.q, userId, { providerId, accountId, accountUsername: 'octo' }, box.now())
    return { providerId, accountId }
  }
  const visitor = async (id: string) => {
    const screen = browser(box.app, '192.0.2.1', (await startSession(box.context, box.auth, { id })).cookie)
    await screen.get('/api/v1/auth/session')
    return screen
  }
  const pathOf = (method: { providerId: string; accountId: string }) =>
    `/api/v1/user/provider?${new URLSearchParams(method)}`
  const waysOf = async (screen: Awaited<ReturnType<typeof visitor>>) =>
    (await screen.get('/api/v1/auth/session')).body.user.providers.map((one: { providerId: string }) => one.providerId)

  test('removes one of two methods, publishes the change and logs it', async () => {
    const me = await createPerson(box.context)
    const [discord] = [await link(me.id, '001_Discord'), await link(me.id, '002_Github')]
    const screen = await visitor(me.id)
    const { recorded, stop } = recordEvents(box.context)
    const { status, body } = await screen.delete(pathOf(discord))
    stop()
    expect([status, body]).toEqual([200, discord])
    expect(await waysOf(screen)).toEqual(['002_Github'])
    expect(recorded).toEqual(signInChanged(me.id))
    const rows = await box.db.q.selectFrom('audit').selectAll().where('target_id', '=', me.id).execute()
    expect(rows).toMatchObject([{ action: 'provider.unlink', actor: me.email, target: me.email, address: '192.0.2.1' }])
    expect(JSON.parse(rows[0]!.changes)).toEqual([{ field: 'providers', from: '001_Discord octo', to: null }])
  })

  test('refuses to remove the last sign-in method, or one whose only alternative does not work here', async () => {
    const me = await createPerson(box.context)
    const github = await link(me.id, '002_Github')
    const screen = await visitor(me.id)
    expect((await screen.delete(pathOf(github))).status).toBe(409)
    const retired = await link(me.id, '000_Retired')
    const { status, body } = await screen.delete(pathOf(github))
    expect([status, body]).toEqual([409, { error: 'This is your only sign-in method. Link another one first.' }])
    expect((await screen.delete(pathOf(retired))).status).toBe(200)
    expect(await waysOf(screen)).toEqual(['002_Github'])
  })

  test('a username without a password does not count as a sign-in method', async () => {
    const me = await createPerson(box.context)
    const username = `bare-${dialect}`
    await box.db.q.updateTable('users').set({ cred_username: username }).where('id', '=', me.id).execute()
    const github = await link(me.id, '002_Github')
    expect((await (await visitor(me.id)).delete(pathOf(github))).status).toBe(409)
  })

  test('removing the credentials removes the password and frees the username', async () => {
    const username = `creds-${dialect}`
    const at = box.now()
    const user = { name: 'x', emailVerified: true, roles: { Admin: 0, Tools: 0 } } as const
    const named = { ...user, email: `${username}@example.com`, credentials: { username, hash: 'some hash' } }
    const id = await createUser(box.db, box.db.q, named, at)
    const password = { providerId: '003_Credentials', accountId: id }
    const screen = await visitor(id)
    expect((await screen.delete(pathOf(password))).status).toBe(409)
    await link(id, '001_Discord')
    expect((await screen.delete(pathOf(password))).status).toBe(200)
    expect((await screen.get('/api/v1/auth/session')).body.user).toMatchObject({
      credUsername: null,
      providers: [{ providerId: '001_Discord' }],
    })
    await createUser(box.db, box.db.q, { ...named, email: `${username}-2@example.com` }, at)
  })

  test("returns 404 for another user's sign-in method or an unknown one", async () => {
    const [me, other] = [await createPerson(box.context), await createPerson(box.context)]
    await link(me.id, '001_Discord')
    const theirs = await link(other.id, '002_Github')
    const screen = await visitor(me.id)
    expect((await screen.delete(pathOf(theirs))).status).toBe(404)
    expect((await screen.delete(pathOf({ ...theirs, accountId: 'made up' }))).status).toBe(404)
    expect(await waysOf(await visitor(other.id))).toEqual(['002_Github'])
  })

  test('one sign-in method stays when all are removed at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const me = await createPerson(box.context)
      const methods = [
        await link(me.id, '001_Discord'),
        await link(me.id, '001_Discord'),
        await link(me.id, '002_Github'),
      ]
      const screen = await visitor(me.id)
      const statuses = (await Promise.all(methods.map((method) => screen.delete(pathOf(method))))).map(
        ({ status }) => status,
      )
      expect(statuses.sort()).toEqual([200, 200, 409])
      expect(await waysOf(screen)).toHaveLength(1)
    }
  })

  test('requires a session', async () => {
    const query = pathOf({ providerId: '001_Discord', accountId: 'x' })
    expect((await browser(box.app).delete(query)).status).toBe(401)
  })
})
