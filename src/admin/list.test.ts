import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bothDialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, signedIn } from '../../test/support/people.ts'
import { type Toolbox, toolbox } from '../../test/support/toolbox.ts'
import { linkAccount } from '../people/sign-in-methods.ts'
import { accountStatuses, knownTags, rolesInWords } from '../shared/user.ts'
import { type ListedUser, type UserKind, userKinds } from './contract.ts'

const path = '/api/v1/admin/users'
const names = ['Ada Lovelace', 'ÉMILE Borel', 'émile Zola', 'Жуковский', 'zoe', 'Zoe', '100% *real*', 'a_b (c)']
const start = Date.UTC(2026, 0, 1)

type Key = 'id' | 'name' | 'email' | 'status' | 'roles' | 'tags' | 'providers' | 'lastUsageTimestamp' | 'lastSignInAt'
type Asked = { sort?: Key; order?: 'asc' | 'desc'; show?: UserKind; filters: Partial<Record<Key, string>> }
const providerNames: Record<string, string> = { '002_Github': 'github', '003_Credentials': 'credentials' }

const hasInOrder = (text: string, letters: string): boolean => {
  let rest = text.toLowerCase()
  return [...letters.toLowerCase()].every((letter) => {
    const at = rest.indexOf(letter)
    rest = rest.slice(at + 1)
    return at !== -1
  })
}
const statusOf = ({ status }: ListedUser) => accountStatuses[status as 0 | 1 | 2]
const day = (at: number) => new Date(at).toISOString().slice(0, 10).split('-').reverse().join('/')

const isDay = (at: number | null, text: string) => (at === null ? text === '–' : day(at).endsWith(text))
/** Each part of the text is in one of the words; a dash stands for none. */
const hasParts = (words: readonly string[], text: string) =>
  text === '–'
    ? words.length === 0
    : text.split(',').every((part) => words.some((word) => word.toLowerCase().includes(part.trim().toLowerCase())))

const kinds: Record<UserKind, (user: ListedUser) => boolean> = {
  waiting: (user) => user.waiting,
  noRole: ({ roles }) => roles.Admin + roles.Tools === 0,
  blocked: ({ status }) => status === 0,
  admins: ({ roles }) => roles.Admin > 0,
  unverified: ({ emailVerified }) => !emailVerified,
}

const tests: Record<Key, (user: ListedUser, text: string) => boolean> = {
  id: (user, text) => hasInOrder(user.id, text),
  name: (user, text) => hasInOrder(user.name, text),
  email: (user, text) => hasInOrder(user.email, text),
  status: (user, text) => statusOf(user).toLowerCase() === text.toLowerCase(),
  roles: (user, text) => rolesInWords(user.roles).toLowerCase().includes(text.toLowerCase()),
  tags: (user, text) => hasParts(user.tags, text),
  providers: ({ providerIds }, text) =>
    hasParts(
      providerIds.map((id) => providerNames[id]!),
      text,
    ),
  lastUsageTimestamp: (user, text) => isDay(user.lastUsageTimestamp, text),
  lastSignInAt: (user, text) => isDay(user.lastSignInAt, text),
}
const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
const values: Record<Key, (user: ListedUser) => string | number | null> = {
  id: (user) => user.id,
  name: (user) => lower(user.name),
  email: (user) => user.email,
  status: statusOf,
  roles: (user) => user.roles.Admin * 3 + user.roles.Tools,
  tags: (user) => JSON.stringify(user.tags),
  providers: (user) => user.providerIds[0] ?? null,
  lastUsageTimestamp: (user) => user.lastUsageTimestamp,
  lastSignInAt: (user) => user.lastSignInAt,
}
const compare = (a: string | number, b: string | number) =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

/** What is searched for in each column. */
const searches: Record<Key, readonly [string, ...string[]]> = {
  id: ['a', 'B-', '4', 'zzz'],
  name: ['ada', 'ÉM', 'éz', 'ЖК', 'zoe', '%*', '_(', 'bl', 'emile'],
  email: ['P1@', 'boss', 'person4', '@.com', '+'],
  status: ['active', 'Inactive', 'BLOCKED', 'act'],
  roles: ['admin', 'Admin 2', 'tools 1', 'admin 1, tools 2', '–', 'none'],
  tags: ['verif', 'Admin', 'mod, admin', 'zzz', '–'],
  providers: ['GIT', 'credentials', 'hub, cred', 'discord', '–'],
  lastUsageTimestamp: ['02/01/2026', '01/2026', '2026', '2025', '–'],
  lastSignInAt: ['02/01/2026', '01/2026', '2025', '–'],
}

/** The values by which those are sorted whom the list should find, and their ids. */
function found(all: readonly ListedUser[], { filters, sort, order, show }: Asked) {
  const value = sort ? values[sort] : (user: ListedUser) => user.createdAt
  const direction = (order ?? (sort ? 'asc' : 'desc')) === 'asc' ? 1 : -1
  return all
    .filter((user) => (show ? kinds[show](user) : true))
    .filter((user) => Object.entries(filters).every(([key, text]) => tests[key as Key](user, text)))
    .map((user) => ({ id: user.id, value: value(user) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
      return direction * compare(a.value, b.value)
    })
}

describe.each(bothDialects)('a list of users page by page on %s', (dialect) => {
  let box: Toolbox
  let screen: Awaited<ReturnType<typeof signedIn>>['screen']
  let all: ListedUser[]

  beforeAll(async () => {
    box = await toolbox(dialect)
    ;({ screen } = await signedIn(box, { name: 'boss', roles: { Admin: 1 } }))
    for (let n = 0; n < 45; n++) {
      box.pass(1_000)
      const roles = { Admin: n % 3, Tools: (n >> 1) % 3 } as ListedUser['roles']
      const { id } = await createPerson(box.context, {
        name: `person${n}`,
        roles,
        status: n % 4 === 3 ? 0 : 2 - (n % 2),
        tags: knownTags.filter((_, tag) => (n >> tag) % 2 === 1),
        ...(n % 5 === 0 && { username: `person${n}` }),
      })
      const last = n % 3 === 0 ? null : box.db.timestamp(start + ((n * 17) % 45) * 43_200_000)
      const changes = {
        name: names[n % names.length]!,
        last_usage_timestamp: last,
        last_sign_in_at: n % 3 === 1 ? null : start + ((n * 19) % 45) * 43_200_000,
        email_verified: box.db.boolean(n % 7 !== 0),
      }
      const octo = { providerId: '002_Github', accountId: String(n), accountUsername: 'octo' }
      if (n % 4 === 0) await linkAccount(box.db, box.db.q, id, octo, box.now())
      const request = { user_id: id, kind: 'request', at: 1, decided_at: n % 6 === 0 ? null : 2 } as const
      if (n % 3 === 0) await box.db.q.insertInto('access_request').values(request).execute()
      await box.db.q.updateTable('users').set(changes).where('id', '=', id).execute()
    }
    all = (await screen.get(path)).body
  })
  afterAll(() => box.close())

  const ask = (asked: Asked & { page?: number; size?: number }) => {
    const { filters, ...rest } = asked
    const query = [
      ...Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
      ...Object.entries(filters).map(([key, text]): [string, string] => [`filter[${key}]`, text]),
    ]
    return screen.get(`${path}?${new URLSearchParams(query)}`)
  }

  test('finds and sorts what a search of the whole list would, whatever is asked', async () => {
    const keys = Object.keys(searches) as Key[]
    const filters = Object.fromEntries(keys.map((key) => [key, fc.constantFrom(...searches[key])]))
    const asked: fc.Arbitrary<Asked> = fc
      .record(
        {
          sort: fc.constantFrom(...keys),
          order: fc.constantFrom('asc' as const, 'desc' as const),
          show: fc.constantFrom(...userKinds),
          filters: fc.oneof(fc.constant({}), fc.record(filters, { requiredKeys: [] })),
        },
        { requiredKeys: ['filters'] },
      )
      .map((one) => one as Asked)
    await fc.assert(
      fc.asyncProperty(asked, async (one) => {
        const expected = found(all, one)
        const rows: ListedUser[] = []
        for (const page of [1, 2, 3, 4, 5]) {
          const { status, body } = await ask({ ...one, page, size: 10 })
          expect([status, body.total], JSON.stringify(body)).toEqual([200, expected.length])
          rows.push(...body.rows)
        }
        const value = one.sort ? values[one.sort] : (user: ListedUser) => user.createdAt
        expect(rows.map(value)).toEqual(expected.map((user) => user.value))
        expect(rows.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort())
        for (const row of rows) expect(row).toEqual(all.find(({ id }) => id === row.id))
      }),
      { numRuns: 60 },
    )
  })

  test('finds by each search alone, and of each kind, what a search of the whole list would', async () => {
    const alone = Object.entries(searches).flatMap(([key, texts]) =>
      texts.map((text) => ({ filters: { [key]: text } })),
    )
    for (const one of [...alone, ...userKinds.map((show) => ({ filters: {}, show }))]) {
      const { rows } = (await ask({ ...one, size: 200 })).body as { rows: ListedUser[] }
      const expected = found(all, one).map(({ id }) => id)
      expect(rows.map(({ id }) => id).sort(), JSON.stringify(one)).toEqual(expected.sort())
    }
  })

  test('says of those who wait that they do, and of nobody whose request was decided', () => {
    const waiting = all.filter((user) => user.waiting).map(({ email }) => email)
    const asked = Array.from({ length: 45 }, (_, n) => n).filter((n) => n % 6 === 0)
    expect(waiting.sort()).toEqual(asked.map((n) => `person${n}@example.com`).sort())
  })

  test('gives all who match at once, whole or only their ids', async () => {
    const asked = 'show=admins&sort=name&filter[status]=active'
    const { rows } = (await screen.get(`${path}?${asked}&size=200`)).body as { rows: ListedUser[] }
    expect(rows.length).toBeGreaterThan(3)
    expect((await screen.get(`${path}?${asked}&all=rows`)).body).toEqual(rows)
    expect((await screen.get(`${path}?${asked}&all=ids`)).body).toEqual(rows.map(({ id }) => id))
  })

  test('knows when somebody last signed in, and with which providers they can', async () => {
    const visitor = browser(box.app)
    expect((await visitor.signIn('person0')).status).toBe(200)
    const { rows } = (await screen.get(`${path}?filter[email]=person0@&size=10`)).body as { rows: ListedUser[] }
    const person0 = rows.find(({ email }) => email === 'person0@example.com')
    expect(person0).toMatchObject({ lastSignInAt: box.now(), providerIds: ['002_Github', '003_Credentials'] })
  })

  test.each([
    ['page=0', 'page'],
    ['size=5', 'size'],
    ['sort=apiKeys', 'sort'],
    ['filter[apiKeys]=x', 'filter[apiKeys]'],
    ['show=friends', 'show'],
    ['all=rows&page=1', 'all'],
    ['filter[lastUsageTimestamp]=soon', 'filter[lastUsageTimestamp]'],
    ['ids=x', 'ids'],
  ])('refuses ?%s with a word about it', async (asked, field) => {
    expect(await screen.get(`${path}?${asked}`)).toMatchObject({
      status: 400,
      body: { fields: { [field]: expect.any(String) } },
    })
  })
})
