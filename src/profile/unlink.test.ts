import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dialects, racingDialects } from '../../test/support/database/databases.ts'
import { createPerson, createSignedInPerson } from '../../test/support/people.ts'
import { closeAfterwards, recordEvents, type Toolbox, toolbox } from '../../test/support/toolbox.ts'
import { signInChanged } from '../notices/account-changes.ts'
import { linkAccount } from '../people/sign-in-methods.ts'

const env = { DISCORD_CLIENT_ID: 'a', DISCORD_CLIENT_SECRET: 'b', GITHUB_CLIENT_ID: 'c', GITHUB_CLIENT_SECRET: 'd' }

const pathOf = (method: { providerId: string; accountId: string }) =>
  `/api/v1/user/provider?${new URLSearchParams(method)}`
const waysOf = async ({ screen }: Awaited<ReturnType<typeof createSignedInPerson>>) =>
  (await screen.get('/api/v1/auth/session')).body.user.providers.map((one: { providerId: string }) => one.providerId)

const linkIn = (box: Toolbox) => async (userId: string, providerId: string) => {
  const accountId = randomUUID()
  await linkAccount(box.db, box.db.q, userId, { providerId, accountId, accountUsername: 'octo' }, box.now())
  return { providerId, accountId }
}

describe.each(dialects)('removing a sign-in method on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect, env))
  const link = linkIn(box)

  test('removes one of two methods, publishes the change and logs it', async () => {
    const me = await createSignedInPerson(box)
    const [discord] = [await link(me.id, '001_Discord'), await link(me.id, '002_Github')]
    const { recorded, stop } = recordEvents(box.context)
    const { status, body } = await me.screen.delete(pathOf(discord))
    stop()
    expect([status, body]).toEqual([200, discord])
    expect(await waysOf(me)).toEqual(['002_Github'])
    expect(recorded).toEqual(signInChanged(me.id))
    const rows = await box.db.q.selectFrom('audit').selectAll().where('target_id', '=', me.id).execute()
    expect(rows).toMatchObject([{ action: 'provider.unlink', actor: me.email, target: me.email, address: '192.0.2.1' }])
    expect(JSON.parse(rows[0]!.changes)).toEqual([{ field: 'providers', from: '001_Discord octo', to: null }])
  })

  test('refuses to remove the last sign-in method, or one whose only alternative does not work here', async () => {
    const me = await createSignedInPerson(box)
    const github = await link(me.id, '002_Github')
    expect((await me.screen.delete(pathOf(github))).status).toBe(409)
    const retired = await link(me.id, '000_Retired')
    const { status, body } = await me.screen.delete(pathOf(github))
    expect([status, body]).toEqual([409, { error: 'This is your only sign-in method. Link another one first.' }])
    expect((await me.screen.delete(pathOf(retired))).status).toBe(200)
    expect(await waysOf(me)).toEqual(['002_Github'])
  })

  test('a username without a password does not count as a sign-in method', async () => {
    const { id, screen } = await createSignedInPerson(box)
    await box.db.q
      .updateTable('users')
      .set({ cred_username: `bare-${dialect}` })
      .where('id', '=', id)
      .execute()
    const github = await link(id, '002_Github')
    expect((await screen.delete(pathOf(github))).status).toBe(409)
  })

  test('removing the credentials removes the password and frees the username', async () => {
    const username = `creds-${dialect}`
    const { id, screen } = await createSignedInPerson(box, { username })
    const password = { providerId: '003_Credentials', accountId: id }
    expect((await screen.delete(pathOf(password))).status).toBe(409)
    await link(id, '001_Discord')
    expect((await screen.delete(pathOf(password))).status).toBe(200)
    expect((await screen.get('/api/v1/auth/session')).body.user).toMatchObject({
      credUsername: null,
      providers: [{ providerId: '001_Discord' }],
    })
    await createPerson(box.context, { username })
  })

  test("returns 404 for another user's sign-in method or an unknown one", async () => {
    const [me, other] = [await createSignedInPerson(box), await createSignedInPerson(box)]
    await link(me.id, '001_Discord')
    const theirs = await link(other.id, '002_Github')
    expect((await me.screen.delete(pathOf(theirs))).status).toBe(404)
    expect((await me.screen.delete(pathOf({ ...theirs, accountId: 'made up' }))).status).toBe(404)
    expect(await waysOf(other)).toEqual(['002_Github'])
  })
})

describe.each(racingDialects)('removing several sign-in methods on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect, env))
  const link = linkIn(box)

  test('one sign-in method stays when all are removed at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const me = await createSignedInPerson(box)
      const methods = []
      for (const id of ['001_Discord', '001_Discord', '002_Github']) methods.push(await link(me.id, id))
      const answers = await Promise.all(methods.map((method) => me.screen.delete(pathOf(method))))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409])
      expect(await waysOf(me)).toHaveLength(1)
    }
  })
})
