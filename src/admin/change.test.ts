import { describe, expect, test } from 'vitest'
import { dialects, insertEntry } from '../../test/support/database/databases.ts'
import { browser, createSignedInPerson, password } from '../../test/support/people.ts'
import { adminScene, adminUser as path } from '../../test/support/scenes/admin-scene.ts'
import { linkAccount } from '../people/sign-in-methods.ts'
import { seconds } from '../shared/time.ts'

const fresh = 'eleven purple violins'

describe.each(dialects)('editing a user on %s', async (dialect) => {
  const { box, boss, newName, someone, read, row } = await adminScene(dialect)
  const audited = (id: string) => box.db.q.selectFrom('audit').selectAll().where('target_id', '=', id).execute()
  const link = (userId: string, providerId: string, accountUsername: string) =>
    linkAccount(box.db, box.db.q, userId, { providerId, accountId: userId, accountUsername }, box.now())

  test('an edit changes only the given fields, merges roles, replaces tags, and returns the user', async () => {
    const person = await someone({ roles: { Tools: 2 }, tags: ['Verified', 'Moderator'] })
    box.pass(seconds(1))
    const email = `${newName()}@example.com`
    const body = { id: person.id, email: email.toUpperCase(), roles: { Admin: 1 }, tags: ['Admin'], status: 1 }
    const answer = await boss.screen.patch(path, body)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      name: person.name,
      email,
      roles: { Admin: 1, Tools: 2 },
      tags: ['Admin'],
      status: 1,
      updatedAt: box.now(),
    })
    expect(await read(email)).toEqual(answer.body)
    expect((await boss.screen.get(`${path}?email=${person.email}`)).status).toBe(404)
  })

  test('an email that an admin changes counts as verified; one left unchanged does not', async () => {
    const person = await someone()
    const unverified = dialect === 'sqlite' ? 0 : false
    await box.db.q.updateTable('users').set({ email_verified: unverified }).where('id', '=', person.id).execute()
    const unchanged = await boss.screen.patch(path, { id: person.id, name: 'Kept', email: person.email })
    expect(unchanged.body.emailVerified).toBe(false)
    const changed = await boss.screen.patch(path, { id: person.id, email: `${newName()}@example.com` })
    expect(changed.body.emailVerified).toBe(true)
  })

  test('sending back the whole record unchanged writes nothing', async () => {
    const person = await someone({ username: newName(), tags: ['Verified'] })
    await link(person.id, '001_Discord', 'ada')
    const whole = await read(person.email)
    box.pass(seconds(1))
    const answer = await boss.screen.patch(path, whole)
    expect([answer.status, answer.body]).toEqual([200, whole])
    expect(await audited(person.id)).toEqual([])
  })

  test.each([
    { password: fresh },
    { image: 'x' },
    { emailVerified2: true },
    { roles: { Root: 2 } },
    { roles: 'all' },
    { status: '2' },
    { tags: 'Verified' },
    { name: null },
    { email: null },
    { providers: [{ providerId: '001_Discord', accountId: 'stolen' }] },
    { providers: [{ providerId: '001_Discord' }] },
  ])('rejects an edit with %j and changes nothing', async (more) => {
    const person = await someone()
    const before = await row(person.id)
    const { status, body } = await boss.screen.patch(path, { id: person.id, name: 'Changed', ...more })
    expect([status, typeof body.error]).toEqual([400, 'string'])
    expect(await row(person.id)).toEqual(before)
  })

  test('editing or setting a password for an unknown id returns 404', async () => {
    for (const id of ['', 'nobody', '%'])
      expect([
        (await boss.screen.patch(path, { id, name: 'X' })).status,
        (await boss.screen.patch(`${path}/password`, { id, password: fresh })).status,
      ]).toEqual([404, 404])
  })

  test('providers can be removed but not added; removing Credentials removes password and username', async () => {
    const person = await someone({ username: newName() })
    await link(person.id, '001_Discord', 'ada')
    await link(person.id, '002_Github', 'octo')
    const before = await read(person.email)
    const [discord, github, credentials] = before.providers
    const first = await boss.screen.patch(path, { id: person.id, providers: [credentials, discord] })
    expect(first.body.providers).toEqual([discord, credentials])
    const second = await boss.screen.patch(path, { ...first.body, providers: [discord] })
    expect(second.body).toMatchObject({ providers: [discord], credUsername: null })
    expect((await browser(box.app).signIn(person.username!)).status).toBe(401)
    const links = await box.db.q.selectFrom('provider_links').selectAll().where('user_id', '=', person.id).execute()
    expect(links.map((one) => one.provider_id)).toEqual(['001_Discord'])
    const added = await boss.screen.patch(path, { id: person.id, providers: [discord, github] })
    expect([added.status, Object.keys(added.body.fields)]).toEqual([400, ['providers']])
    expect((await boss.screen.patch(path, { id: person.id, providers: [] })).body.providers).toEqual([])
  })

  test('a username with a password can be changed, but only removed together with the password', async () => {
    const person = await someone({ username: newName() })
    const removed = await boss.screen.patch(path, { id: person.id, credUsername: null })
    expect([removed.status, Object.keys(removed.body.fields)]).toEqual([400, ['credUsername']])
    const name = newName()
    const both = await boss.screen.patch(path, { id: person.id, providers: [], credUsername: name })
    expect([both.status, Object.keys(both.body.fields)]).toEqual([400, ['credUsername']])
    const renamed = await boss.screen.patch(path, { id: person.id, credUsername: name.toUpperCase() })
    expect(renamed.body).toMatchObject({ credUsername: name, providers: [{ accountUsername: name }] })
    expect((await browser(box.app).signIn(name)).status).toBe(200)
    const without = await someone()
    await boss.screen.patch(path, { id: without.id, credUsername: newName() })
    expect((await boss.screen.patch(path, { id: without.id, credUsername: null })).body.credUsername).toBeNull()
  })

  test('rejects a password that is weak, equals the user’s email, or has no username', async () => {
    const person = await someone({ username: newName() })
    for (const weak of ['short', 'password1234', person.email]) {
      const { status, body } = await boss.screen.patch(`${path}/password`, { id: person.id, password: weak })
      expect([status, Object.keys(body.fields)]).toEqual([400, ['password']])
    }
    const { id } = await someone()
    const { status, body } = await boss.screen.patch(`${path}/password`, { id, password: fresh })
    expect([status, body.error]).toEqual([409, expect.stringContaining('username')])
    expect((await browser(box.app).signIn(person.username!, password)).status).toBe(200)
  })

  test('deleting a user deletes their data and frees their email and username', async () => {
    const person = await createSignedInPerson(box, { name: newName(), username: newName() })
    await insertEntry(box.db, `e2-${person.id}`, person.id)
    const deletion = await boss.screen.delete(`${path}?email=%20${person.email.toUpperCase()}`)
    expect([deletion.status, deletion.body]).toEqual([200, { id: person.id }])
    for (const [table, column] of [
      ['users', 'id'],
      ['sessions', 'user_id'],
      ['provider_links', 'user_id'],
      ['entry', 'owner_id'],
    ] as const)
      expect(
        await box.db.q
          .selectFrom(table)
          .selectAll()
          .where(column as never, '=', person.id as never)
          .execute(),
      ).toEqual([])
    expect((await person.screen.get('/api/v1/user/sessions')).status).toBe(401)
    const sameDetails = { email: person.email, name: person.name, credUsername: person.username }
    expect((await boss.screen.post(path, sameDetails)).status).toBe(201)
  })
})
