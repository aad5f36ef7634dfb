import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, createSignedInPerson, password } from '../../test/support/people.ts'
import { adminScene, adminUser as path } from '../../test/support/scenes/admin-scene.ts'
import { linkAccount } from '../people/sign-in-methods.ts'
import { minutes } from '../shared/time.ts'

describe.each(bothDialects)('two admins editing one user on %s', async (dialect) => {
  const { box, boss, read } = await adminScene(dialect)
  const chief = await createSignedInPerson(box, { name: 'chief', roles: { Admin: 2 } })

  test('an edit based on an outdated read is rejected with the current user', async () => {
    const { id, email } = await createPerson(box.context)
    const { updatedAt } = await read(email)
    box.pass(minutes(1))
    const theirs = await chief.screen.patch(path, { id, name: 'Theirs', ifUpdatedAt: updatedAt })
    expect(theirs).toMatchObject({ status: 200, body: { name: 'Theirs', updatedAt: box.now() } })
    box.pass(minutes(1))
    const mine = await boss.screen.patch(path, { id, name: 'Mine', ifUpdatedAt: updatedAt })
    const current = await read(email)
    expect(mine).toMatchObject({ status: 409, body: { error: expect.stringContaining('chief'), current } })
    expect(current).toMatchObject({ name: 'Theirs', changedBy: 'chief', changedAt: theirs.body.updatedAt })
    const retry = await boss.screen.patch(path, { ...current, name: 'Mine', ifUpdatedAt: current.updatedAt })
    expect(retry.body).toMatchObject({ name: 'Mine', changedBy: 'boss' })
    expect((await chief.screen.patch(path, { id, name: 'Last' })).body.name).toBe('Last')
  })

  test('exactly one of two concurrent edits of the same version wins, even if the clock stands still', async () => {
    const { id, email } = await createPerson(box.context)
    for (let round = 0; round < 8; round++) {
      const { updatedAt } = await read(email)
      const edits = await Promise.all(
        [boss, chief].map(({ screen, name }) =>
          screen.patch(path, { id, name: `${name} ${round}`, ifUpdatedAt: updatedAt }),
        ),
      )
      expect(edits.map(({ status }) => status).sort()).toEqual([200, 409])
      expect((await read(email)).updatedAt).toBeGreaterThan(updatedAt)
    }
  })

  test('deleting a user whose email has passed to another one is refused, and deletes neither', async () => {
    const { id, email, name } = await createPerson(box.context)
    expect((await chief.screen.patch(path, { id, email: `moved-${email}` })).status).toBe(200)
    const other = await createPerson(box.context, { name })
    const answer = await boss.screen.delete(`${path}?email=${email}&id=${id}`)
    expect(answer).toMatchObject({ status: 409, body: { error: expect.stringContaining('another user') } })
    expect(await read(email)).toMatchObject({ id: other.id })
    expect(await read(`moved-${email}`)).toMatchObject({ id })
    expect((await boss.screen.delete(`${path}?email=${email}&id=${other.id}`)).body).toEqual({ id: other.id })
  })

  test('sign-ins, requests and changed passwords are not edits; setting a first password is', async () => {
    const name = `user-${dialect}`
    const { id, email } = await createPerson(box.context, { name, username: name })
    const discord = { providerId: '001_Discord', accountId: id, accountUsername: 'x' }
    await linkAccount(box.db, box.db.q, id, discord, box.now())
    const before = await read(email)
    box.pass(minutes(5))
    const screen = browser(box.app)
    expect((await screen.signIn(name)).status).toBe(200)
    await screen.get('/api/v1/auth/session')
    await screen.patch('/api/v1/user/password', { current: password, password: 'eleven purple violins' })
    await box.auth.background.drained()
    const after = await read(email)
    expect(after.lastUsageTimestamp).toBe(box.now())
    expect([after.updatedAt, after.changedBy]).toEqual([before.updatedAt, null])
    const bare = await createPerson(box.context)
    await boss.screen.patch(path, { id: bare.id, credUsername: `bare-${dialect}` })
    const named = await read(bare.email)
    await chief.screen.patch(`${path}/password`, { id: bare.id, password: 'eleven purple violins' })
    expect(await read(bare.email)).toMatchObject({ updatedAt: named.updatedAt + 1, changedBy: 'chief' })
  })
})
