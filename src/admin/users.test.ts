import { describe, expect, test } from 'vitest'
import { dialects, insertEntry } from '../../test/support/database/databases.ts'
import { createSignedInPerson } from '../../test/support/people.ts'
import { adminScene, adminUser as path } from '../../test/support/scenes/admin-scene.ts'
import { linkAccount } from '../people/sign-in-methods.ts'

describe.each(dialects)('users as admins see them on %s', async (dialect) => {
  const { box, boss, newName, someone } = await adminScene(dialect)
  const reader = await createSignedInPerson(box, { name: 'reader', roles: { Admin: 1 } })

  test('the list contains every user, with exactly the documented fields', async () => {
    const person = await someone({ username: newName(), tags: ['Verified'] })
    const list = (await reader.screen.get(`${path}s`)).body
    expect(list).toHaveLength((await box.db.q.selectFrom('users').select('id').execute()).length)
    expect(list.find((one: { id: string }) => one.id === person.id)).toEqual({
      id: person.id,
      name: person.name,
      email: person.email,
      emailVerified: true,
      status: 2,
      tags: ['Verified'],
      roles: { Admin: 0, Tools: 1 },
      credUsername: person.username,
      secondFactor: false,
      lastUsageTimestamp: null,
      lastSignInAt: null,
      providerIds: ['003_Credentials'],
      waiting: false,
      logInCount: 0,
      createdAt: box.now(),
      updatedAt: box.now(),
    })
  })

  test('finds one user by email in any case, with providers, API keys and the number of entries', async () => {
    const person = await someone({ username: newName() })
    const github = { providerId: '002_Github', accountId: '42', accountUsername: 'octo' }
    await linkAccount(box.db, box.db.q, person.id, github, box.now())
    await insertEntry(box.db, `e1-${person.id}`, person.id)
    const key = { user_id: person.id, name: 'ci', scopes: '["read"]', hash: person.id, last4: 'abcd' }
    await box.db.q
      .insertInto('api_key')
      .values({ ...key, id: person.id, created_at: 7, expires_at: null })
      .execute()
    const { body } = await reader.screen.get(`${path}?email=%20${person.email.toUpperCase()}%20`)
    expect(body).toMatchObject({ id: person.id, emailVerified: true, entries: 1 })
    expect(body.providers).toEqual([
      { providerId: '002_Github', accountId: '42', accountUsername: 'octo' },
      { providerId: '003_Credentials', accountId: person.id, accountUsername: person.username },
    ])
    expect(body.apiKeys).toEqual([
      { id: person.id, name: 'ci', last4: 'abcd', scopes: ['read'], createdAt: 7, lastUsedAt: null, expiresAt: null },
    ])
    expect(JSON.stringify(body)).not.toContain('scrypt')
  })

  test.each(['nobody@example.com', 'no address', '%', "' or 1=1 --", 'İ@example.com', '\u{1f980}'])(
    'reading or deleting the unknown email %j returns 404',
    async (email) => {
      const query = `?email=${encodeURIComponent(email)}`
      expect((await boss.screen.get(path + query)).status).toBe(404)
      expect((await boss.screen.delete(path + query)).status).toBe(404)
    },
  )

  test('rejects a missing, repeated or overlong email with an error on that field', async () => {
    for (const query of ['', '?email=a&email=b', `?email=${'a'.repeat(255)}`]) {
      const { status, body } = await boss.screen.get(path + query)
      expect([status, Object.keys(body.fields)]).toEqual([400, ['email']])
    }
  })

  test('the availability checks ignore case and surrounding spaces, and exclude the given user', async () => {
    const person = await someone({ username: newName() })
    const check = async (query: string) => (await reader.screen.get(`${path}/${query}`)).body
    const email = `emailexistcheck?email=%20${person.email.toUpperCase()}`
    const username = `usernameexistcheck?username=${person.username!.toUpperCase()}%20`
    for (const query of [email, username]) {
      expect(await check(query)).toEqual({ exists: true })
      expect(await check(`${query}&id=${person.id}`)).toEqual({ exists: false })
      expect(await check(`${query}&id=other`)).toEqual({ exists: true })
    }
    expect(await check('emailexistcheck?email=free@example.com')).toEqual({ exists: false })
    expect(await check('usernameexistcheck?username=')).toEqual({ exists: false })
  })
})
