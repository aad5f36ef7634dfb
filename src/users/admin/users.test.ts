import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects, insertEntry } from '../../../test/databases.ts'
import { browser, createPerson, password, signedIn } from '../../../test/people.ts'
import { type Toolbox, toolbox } from '../../../test/toolbox.ts'
import { seconds } from '../../shared/time.ts'
import { toAuthInstant } from '../auth-values.ts'

const path = '/api/v1/admin/user'
const fresh = 'eleven purple violins'

describe.each(dialects)('users as administrators see them on %s', (dialect) => {
  let box: Toolbox
  let boss: Awaited<ReturnType<typeof signedIn>>
  let reader: Awaited<ReturnType<typeof signedIn>>
  beforeAll(async () => {
    box = await toolbox(dialect)
    boss = await signedIn(box, { name: 'boss', username: 'boss', roles: { Admin: 2 } })
    reader = await signedIn(box, { name: 'reader', roles: { Admin: 1 } })
  })
  afterAll(() => box.close())

  let made = 0
  const newName = () => `someone${made++}`
  const someone = (details: Parameters<typeof createPerson>[1] = {}) =>
    createPerson(box.kit, { name: newName(), ...details })
  const read = async (email: string) => (await boss.screen.get(`${path}?email=${encodeURIComponent(email)}`)).body
  const row = (id: string) => box.db.q.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const audited = (id: string) => box.db.q.selectFrom('audit').selectAll().where('target_id', '=', id).execute()

  /** Every call, with what is good enough to pass for level 2 on this user. */
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
      status: 2,
      tags: ['Verified'],
      roles: { Admin: 0, Tools: 1 },
      credUsername: person.username,
      lastUsageTimestamp: null,
      logInCount: 0,
      createdAt: box.now(),
      updatedAt: box.now(),
    })
  })

  test('one user comes in full, by an address of any case, with providers, keys and the number of entries', async () => {
    const person = await someone({ username: newName() })
    await link(person.id, '002_Github', '42', 'octo')
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

  test('a new user may be nothing but a name and an address, which counts as verified', async () => {
    const name = newName()
    const { status, body } = await boss.screen.post(path, { email: ` ${name.toUpperCase()}@Example.com`, name })
    expect(status).toBe(201)
    expect(body).toMatchObject({ email: `${name}@example.com`, emailVerified: true, status: 2, tags: [] })
    expect(body).toMatchObject({ roles: { Admin: 0, Tools: 0 }, credUsername: null, providers: [], entries: 0 })
    expect(await read(body.email)).toEqual(body)
  })

  test('a new user with everything signs in with the password given', async () => {
    const name = newName()
    const rest = { roles: { Tools: 2 }, tags: ['Moderator'], status: 2, credUsername: name.toUpperCase() }
    const made = await boss.screen.post(path, { email: `${name}@example.com`, name, password: fresh, ...rest })
    expect(made.body).toMatchObject({ roles: { Admin: 0, Tools: 2 }, tags: ['Moderator'], credUsername: name })
    expect(made.body.providers).toMatchObject([{ providerId: '003_Credentials', accountUsername: name }])
    expect((await browser(box.app).signIn(name, fresh)).status).toBe(200)
  })

  test('a user name may wait for its password', async () => {
    const name = newName()
    const { body } = await boss.screen.post(path, { email: `${name}@example.com`, name, credUsername: name })
    expect(body).toMatchObject({ credUsername: name, providers: [] })
    expect((await browser(box.app).signIn(name, fresh)).status).toBe(401)
    expect((await boss.screen.patch(`${path}/password`, { id: body.id, password: fresh })).body).toEqual({
      id: body.id,
    })
    expect((await browser(box.app).signIn(name, fresh)).status).toBe(200)
  })

  test.each([
    [{ email: 'none' }, 'email'],
    [{ name: ' ' }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ credUsername: 'a b' }, 'credUsername'],
    [{ credUsername: 'ab' }, 'credUsername'],
    [{ password: fresh }, 'credUsername'],
    [{ credUsername: 'somebody-new', password: 'short' }, 'password'],
    [{ credUsername: 'somebody-new', password: 'password1234' }, 'password'],
    [{ credUsername: 'somebody-new', password: 'somebody-new' }, 'password'],
    [{ status: 3 }, 'status'],
    [{ tags: ['Verified', 'Verified'] }, 'tags'],
    [{ tags: ['King'] }, 'tags.0'],
    [{ roles: { Admin: 3 } }, 'roles.Admin'],
    [{ roles: { Root: 1 } }, 'roles.Root'],
    [{ image: 'x' }, 'image'],
  ])('a new user with %j is refused with a word about %s', async (more, field) => {
    const before = (await boss.screen.get(`${path}s`)).body.length
    const { status, body } = await boss.screen.post(path, { email: 'new@example.com', name: 'New', ...more })
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
    expect((await boss.screen.get(`${path}s`)).body).toHaveLength(before)
  })

  test('what nobody sets is left alone: ids, times, counts, keys', async () => {
    const name = newName()
    const whole = { ...(await read(boss.email)), email: `${name}@example.com`, name, credUsername: null }
    const { status, body } = await boss.screen.post(path, whole)
    expect(status).toBe(201)
    expect(body.id).not.toBe(boss.id)
    expect(body).toMatchObject({ logInCount: 0, providers: [], lastUsageTimestamp: null, apiKeys: [] })
  })

  test('of two who want one address or name at once, one gets it and the other reads which field', async () => {
    for (const field of ['email', 'credUsername'] as const) {
      const wanted = newName()
      const bodies = [newName(), newName()].map((name) => ({
        name,
        email: field === 'email' ? `${wanted}@example.com` : `${name}@example.com`,
        credUsername: field === 'credUsername' ? wanted : name,
      }))
      const answers = await Promise.all(bodies.map((body) => boss.screen.post(path, body)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
      const refused = answers.find(({ status }) => status === 409)!
      expect(Object.keys(refused.body.fields)).toEqual([field])
      const other = await someone()
      const late = await boss.screen.patch(path, { id: other.id, [field]: bodies[0]![field] })
      expect([late.status, Object.keys(late.body.fields)]).toEqual([409, [field]])
    }
  })

  test('an edit changes what it names, merges roles, replaces tags, and answers the user', async () => {
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

  test('an address that an administrator changes counts as verified; one they leave does not', async () => {
    const person = await someone()
    const unverified = dialect === 'sqlite' ? 0 : false
    await box.db.q.updateTable('users').set({ email_verified: unverified }).where('id', '=', person.id).execute()
    const kept = await boss.screen.patch(path, { id: person.id, name: 'Kept', email: person.email })
    expect(kept.body.emailVerified).toBe(false)
    const changed = await boss.screen.patch(path, { id: person.id, email: `${newName()}@example.com` })
    expect(changed.body.emailVerified).toBe(true)
  })

  test('an edit that changes nothing, the whole record as it was read, writes nothing', async () => {
    const person = await someone({ username: newName(), tags: ['Verified'] })
    await link(person.id, '001_Discord', '7', null)
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
  ])('an edit with %j is refused and changes nothing', async (more) => {
    const person = await someone()
    const before = await row(person.id)
    const { status, body } = await boss.screen.patch(path, { id: person.id, name: 'Changed', ...more })
    expect([status, typeof body.error]).toEqual([400, 'string'])
    expect(await row(person.id)).toEqual(before)
  })

  test('an unknown id is not found, to edit or to give a password', async () => {
    for (const id of ['', 'nobody', '%'])
      expect([
        (await boss.screen.patch(path, { id, name: 'X' })).status,
        (await boss.screen.patch(`${path}/password`, { id, password: fresh })).status,
      ]).toEqual([404, 404])
  })

  test('providers can be removed, and the Credentials one takes password and user name along', async () => {
    const person = await someone({ username: newName() })
    await link(person.id, '001_Discord', '8', null)
    await link(person.id, '002_Github', '8', 'octo')
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

  test('a password keeps its user name: it can be changed, not removed alone', async () => {
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

  test('a password is refused that is weak, or one’s own name, or without a user name to go with', async () => {
    const person = await someone({ username: newName() })
    for (const weak of ['short', 'password1234', person.email]) {
      const { status, body } = await boss.screen.patch(`${path}/password`, { id: person.id, password: weak })
      expect([status, Object.keys(body.fields)]).toEqual([400, ['password']])
    }
    const { id } = await someone()
    const { status, body } = await boss.screen.patch(`${path}/password`, { id, password: fresh })
    expect([status, body.error]).toEqual([409, expect.stringContaining('user name')])
    expect((await browser(box.app).signIn(person.username!, password)).status).toBe(200)
  })

  test('a deleted user is gone with all that is theirs, and their name is free again', async () => {
    const person = await signedIn(box, { name: newName(), username: newName() })
    await insertEntry(box.db, `e2-${person.id}`, person.id)
    const gone = await boss.screen.delete(`${path}?email=%20${person.email.toUpperCase()}`)
    expect([gone.status, gone.body]).toEqual([200, { id: person.id }])
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
    const again = { email: person.email, name: person.name, credUsername: person.username }
    expect((await boss.screen.post(path, again)).status).toBe(201)
  })

  const link = (userId: string, providerId: string, accountId: string, username: string | null) => {
    const at = toAuthInstant(box.db.kind, box.now())
    const link = { id: `${userId}-${providerId}`, provider_id: providerId, account_id: accountId, user_id: userId }
    return box.db.q
      .insertInto('provider_links')
      .values({ ...link, account_username: username, created_at: at, updated_at: at } as never)
      .execute()
  }
})
