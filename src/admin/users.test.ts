import { describe, expect, test } from 'vitest'
import { dialects, insertEntry } from '../../test/support/database/databases.ts'
import { browser, signedIn } from '../../test/support/people.ts'
import { adminScene, adminUser as path } from '../../test/support/scenes/admin-scene.ts'
import { linkAccount } from '../people/sign-in-methods.ts'

const fresh = 'eleven purple violins'

describe.each(dialects)('users as administrators see them on %s', async (dialect) => {
  const { box, boss, newName, someone, row } = await adminScene(dialect)
  const reader = await signedIn(box, { name: 'reader', roles: { Admin: 1 } })

  /** Every call, with input about this user that level 2 may send. */
  const calls = (person: { id: string; email: string }) => {
    const name = newName()
    return {
      reads: [
        ['GET', `${path}s`],
        ['GET', `${path}?email=${person.email}`],
        ['GET', `${path}/emailexistcheck?email=${person.email}`],
        ['GET', `${path}/usernameexistcheck?username=nobody`],
      ],
      writes: [
        ['GET', '/api/v1/admin/audit'],
        ['POST', path, { email: `${name}@example.com`, name }],
        ['PATCH', path, { id: person.id, name: 'Other' }],
        ['PATCH', `${path}/password`, { id: person.id, password: fresh }],
        ['DELETE', `${path}?email=${person.email}`],
      ],
    } as const
  }
  type Call = readonly [method: string, url: string, body?: object | undefined]
  const statusOf = async (screen: ReturnType<typeof browser>, [method, url, body]: Call) => {
    const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete'
    return (await screen[verb](url, body as object)).status
  }
  const statuses = async (screen: ReturnType<typeof browser>, list: readonly Call[]) => {
    const answers: number[] = []
    for (const call of list) answers.push(await statusOf(screen, call))
    return answers
  }

  test('nobody is asked to sign in, and a plain user is refused everywhere, though with full access to the tools', async () => {
    const target = await someone({ username: newName() })
    const { reads, writes } = calls(target)
    const all = [...reads, ...writes]
    expect(new Set(await statuses(browser(box.app), all))).toEqual(new Set([401]))
    const plain = await signedIn(box, { name: newName(), roles: { Tools: 2 } })
    expect(new Set(await statuses(plain.screen, all))).toEqual(new Set([403]))
    expect((await row(target.id)).name).toBe(target.name)
  })

  test('level 1 reads and changes nothing', async () => {
    const { reads, writes } = calls(await someone({ username: newName() }))
    expect(await statuses(reader.screen, reads)).toEqual([200, 200, 200, 200])
    expect(await statuses(reader.screen, writes)).toEqual([403, 403, 403, 403, 403])
  })

  test('level 2 does it all, with a slash at the end too', async () => {
    for (const end of ['', '/']) {
      const { reads, writes } = calls(await someone({ username: newName() }))
      const spelt = ([method, url, body]: Call): Call => [method, url.replace(/(\?|$)/, `${end}$1`), body]
      expect(await statuses(boss.screen, reads.map(spelt))).toEqual([200, 200, 200, 200])
      expect(await statuses(boss.screen, writes.map(spelt))).toEqual([200, 201, 200, 200, 200])
    }
  })

  test('the list shows everybody with what the contract names and nothing more', async () => {
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

  test('one user comes in full, by an address of any case, with providers, keys and the number of entries', async () => {
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
      {
        id: person.id,
        name: 'ci',
        last4: 'abcd',
        scopes: ['read'],
        createdAt: 7,
        lastUsedAt: null,
        expiresAt: null,
      },
    ])
    expect(JSON.stringify(body)).not.toContain('scrypt')
  })

  test.each(['nobody@example.com', 'no address', '%', "' or 1=1 --", 'İ@example.com', '\u{1f980}'])(
    'an unknown address %j is not found, to read or to delete',
    async (email) => {
      const query = `?email=${encodeURIComponent(email)}`
      expect((await boss.screen.get(path + query)).status).toBe(404)
      expect((await boss.screen.delete(path + query)).status).toBe(404)
    },
  )

  test('a missing, doubled or endless address is refused in words', async () => {
    for (const query of ['', '?email=a&email=b', `?email=${'a'.repeat(255)}`]) {
      const { status, body } = await boss.screen.get(path + query)
      expect([status, Object.keys(body.fields)]).toEqual([400, ['email']])
    }
  })

  test('the checks ignore case and spaces around, and leave out the user who asks for themselves', async () => {
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
