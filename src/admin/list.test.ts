import { afterAll, describe, expect, test } from 'vitest'
import { bothDialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, createSignedInPerson } from '../../test/support/people.ts'
import { toolbox } from '../../test/support/toolbox.ts'
import { linkAccount } from '../people/sign-in-methods.ts'
import { Active, Blocked, Inactive, type knownTags } from '../shared/user.ts'
import type { ListedUser, UserKind } from './contract.ts'

const path = '/api/v1/admin/users'

type Person = {
  name: string
  roles: readonly [admin: 0 | 1 | 2, tools: 0 | 1 | 2]
  status?: number
  tags?: readonly (typeof knownTags)[number][]
  used?: string
  signedIn?: string
  ways?: 'github' | 'password' | 'both'
  isUnverified?: true
  request?: 'waiting' | 'decided'
}
/** Keyed by the local part of their emails. */
const people: Record<string, Person> = {
  ada: {
    ...{ name: 'Ada Lovelace', roles: [2, 1], tags: ['Verified'], ways: 'both' },
    ...{ used: '2026-01-02T06:00Z', signedIn: '2026-01-02T06:00Z' },
  },
  emile: { name: 'ÉMILE Borel', roles: [0, 0], request: 'waiting' },
  zola: {
    ...{ name: 'émile Zola', roles: [1, 0], status: Inactive, tags: ['Moderator'], ways: 'github' },
    used: '2026-01-05T06:00Z',
  },
  zhuk: {
    ...{ name: 'Жуковский', roles: [0, 2], status: Blocked, tags: ['Verified', 'Moderator'], ways: 'password' },
    signedIn: '2026-01-01T06:00Z',
  },
  zoe: { name: 'zoe', roles: [0, 1], used: '2026-01-02T18:00Z', isUnverified: true },
  zoe2: {
    ...{ name: 'Zoe B', roles: [0, 1], tags: ['Admin'], request: 'decided' },
    ...{ used: '2025-12-31T06:00Z', signedIn: '2025-12-31T06:00Z' },
  },
  odd: { name: '100% *real*', roles: [0, 0], status: Blocked },
  ab: { name: 'a_b (c)', roles: [1, 2], ways: 'github', signedIn: '2026-01-05T06:00Z' },
}
const everybody = 'ada emile zola zhuk zoe zoe2 odd ab'

describe.each(bothDialects)('the paged list of users on %s', async (dialect) => {
  const box = await toolbox(dialect)
  const { screen } = await createSignedInPerson(box, { name: 'boss', roles: { Admin: 1 } })
  const { db } = box
  for (const [key, person] of Object.entries(people)) {
    box.pass(1_000)
    const { name, roles, status = Active, tags = [], used, signedIn, ways, isUnverified, request } = person
    const [Admin, Tools] = roles
    const hasPassword = ways === 'password' || ways === 'both'
    const details = { name: key, roles: { Admin, Tools }, status, tags: [...tags] }
    const { id } = await createPerson(box.context, { ...details, ...(hasPassword && { username: key }) })
    const changes = {
      name,
      last_usage_timestamp: used === undefined ? null : db.timestamp(Date.parse(used)),
      last_sign_in_at: signedIn === undefined ? null : Date.parse(signedIn),
      email_verified: db.boolean(!isUnverified),
    }
    await db.q.updateTable('users').set(changes).where('id', '=', id).execute()
    const octo = { providerId: '002_Github', accountId: key, accountUsername: 'octo' }
    if (ways === 'github' || ways === 'both') await linkAccount(db, db.q, id, octo, box.now())
    const accessRequest = { user_id: id, kind: 'request', at: 1, decided_at: request === 'waiting' ? null : 2 } as const
    if (request) await db.q.insertInto('access_request').values(accessRequest).execute()
  }
  for (let n = 0; n < 25; n++)
    await createPerson(box.context, { name: `more${n}`, roles: { Admin: n % 5 === 0 ? 1 : 0, Tools: 1 } })
  afterAll(() => box.close())

  type Page = { rows: ListedUser[]; total: number }
  const ask = async (query: Record<string, string>): Promise<Page> => {
    const { status, body } = await screen.get(`${path}?${new URLSearchParams(query)}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  /** The keys of the rows that are in `people`. */
  const among = (rows: readonly ListedUser[]) =>
    rows.map(({ email }) => email.split('@', 1)[0]!).filter((key) => key in people)
  const find = async (query: Record<string, string>) => among((await ask({ ...query, size: '200' })).rows)
  const keysOf = (words: string) => words.split(/[ /]/).filter(Boolean).toSorted()

  test.each<[column: string, text: string, found: string]>([
    ['id', 'nobody has it', ''],
    ['name', 'ada', 'ada'],
    ['name', 'ÉM', 'emile zola'],
    ['name', 'éz', 'zola'],
    ['name', 'ЖК', 'zhuk'],
    ['name', 'zoe', 'zoe zoe2'],
    ['name', '%*', 'odd'],
    ['name', '_(', 'ab'],
    ['name', 'bl', 'emile'],
    ['name', 'emile', ''],
    ['email', 'DA@', 'ada'],
    ['email', 'zo2', 'zoe2'],
    ['email', '@.com', everybody],
    ['email', '+', ''],
    ['status', 'active', 'ada emile zoe zoe2 ab'],
    ['status', 'Inactive', 'zola'],
    ['status', 'BLOCKED', 'zhuk odd'],
    ['status', 'act', ''],
    ['roles', 'admin', 'ada zola ab'],
    ['roles', 'Admin 2', 'ada'],
    ['roles', 'tools 1', 'ada zoe zoe2'],
    ['roles', 'admin 1, tools 2', 'ab'],
    ['roles', '–', 'emile odd'],
    ['tags', 'verif', 'ada zhuk'],
    ['tags', 'Admin', 'zoe2'],
    ['tags', 'mod, verif', 'zhuk'],
    ['tags', 'zzz', ''],
    ['tags', '–', 'emile zoe odd ab'],
    ['providers', 'GIT', 'ada zola ab'],
    ['providers', 'credentials', 'ada zhuk'],
    ['providers', 'hub, cred', 'ada'],
    ['providers', 'discord', ''],
    ['providers', '–', 'emile zoe zoe2 odd'],
    ['lastUsageTimestamp', '02/01/2026', 'ada zoe'],
    ['lastUsageTimestamp', '01/2026', 'ada zola zoe'],
    ['lastUsageTimestamp', '2025', 'zoe2'],
    ['lastUsageTimestamp', '–', 'emile zhuk odd ab'],
    ['lastSignInAt', '02/01/2026', 'ada'],
    ['lastSignInAt', '01/2026', 'ada zhuk ab'],
    ['lastSignInAt', '2025', 'zoe2'],
    ['lastSignInAt', '–', 'emile zola zoe odd'],
  ])('filtering %s by %j finds %j', async (column, text, found) => {
    expect((await find({ [`filter[${column}]`]: text })).toSorted()).toEqual(keysOf(found))
  })

  test('finds a user by ID', async () => {
    const [ada] = (await ask({ 'filter[email]': 'ada@', size: '10' })).rows
    expect(await find({ 'filter[id]': ada!.id.toUpperCase() })).toEqual(['ada'])
  })

  test.each<[UserKind, string]>([
    ['waiting', 'emile'],
    ['noRole', 'emile odd'],
    ['blocked', 'zhuk odd'],
    ['admins', 'ada zola ab'],
    ['unverified', 'zoe'],
  ])('show=%s lists only %j', async (show, found) => {
    expect((await find({ show })).toSorted()).toEqual(keysOf(found))
  })

  // Slashes separate users with equal values; users after the bar have no value and are last in either order.
  test.each([
    ['name', 'odd ab ada zoe zoe2 emile zola zhuk'],
    ['email', 'ab ada emile odd zhuk zoe2 zoe zola'],
    ['status', 'ada/emile/zoe/zoe2/ab zhuk/odd zola'],
    ['roles', 'emile/odd zoe/zoe2 zhuk zola ab ada'],
    ['tags', 'zoe2 zola zhuk ada emile/zoe/odd/ab'],
    ['providers', 'ada/zola/ab zhuk | emile/zoe/zoe2/odd'],
    ['lastUsageTimestamp', 'zoe2 ada zoe zola | emile/zhuk/odd/ab'],
    ['lastSignInAt', 'zoe2 zhuk ada ab | emile/zola/zoe/odd'],
  ])('sorts by %s: %s', async (sort, sorted) => {
    const [having = [], lacking = []] = sorted.split(' | ').map((words) => words.split(' '))
    for (const [order, groups] of [
      ['asc', [...having, ...lacking]],
      ['desc', [...having.toReversed(), ...lacking]],
    ] as const) {
      const keys = await find({ sort, order })
      for (const group of groups) expect(keys.splice(0, keysOf(group).length).toSorted(), order).toEqual(keysOf(group))
    }
  })

  test('combines filters, kind and sorting, and sorts newest first by default', async () => {
    expect(await find({ show: 'admins', sort: 'name', 'filter[status]': 'active', 'filter[name]': 'a' })).toEqual([
      'ab',
      'ada',
    ])
    expect(await find({})).toEqual(Object.keys(people).toReversed())
  })

  test.each(['id', 'status', 'tags', 'lastSignInAt'])(
    'lists each user on exactly one page, sorted by %s',
    async (sort) => {
      for (const order of ['asc', 'desc']) {
        const whole = await ask({ sort, order, size: '200' })
        const pages = await Promise.all(['1', '2', '3', '4'].map((page) => ask({ sort, order, page, size: '10' })))
        expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows)
        expect(pages.map(({ total }) => total)).toEqual(Array(4).fill(whole.rows.length))
      }
    },
  )

  test('equals the unpaged list, which marks users with an undecided request as waiting', async () => {
    const all = (await screen.get(path)).body as ListedUser[]
    expect((await ask({ size: '200' })).rows).toEqual(all)
    expect(among(all.filter(({ waiting }) => waiting))).toEqual(['emile'])
  })

  test('returns all matching users, or only their ids, without paging', async () => {
    const query = 'show=admins&sort=name&filter[status]=active'
    const { rows } = (await screen.get(`${path}?${query}&size=200`)).body as { rows: ListedUser[] }
    expect(rows.length).toBeGreaterThan(3)
    expect((await screen.get(`${path}?${query}&all=rows`)).body).toEqual(rows)
    expect((await screen.get(`${path}?${query}&all=ids`)).body).toEqual(rows.map(({ id }) => id))
  })

  test('reports the last sign-in and the providers of a user', async () => {
    expect((await browser(box.app).signIn('ada')).status).toBe(200)
    const [ada] = (await ask({ 'filter[email]': 'ada@', size: '10' })).rows
    expect(ada).toMatchObject({ lastSignInAt: box.now(), providerIds: ['002_Github', '003_Credentials'] })
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
  ])('rejects ?%s and reports the field', async (query, field) => {
    expect(await screen.get(`${path}?${query}`)).toMatchObject({
      status: 400,
      body: { fields: { [field]: expect.any(String) } },
    })
  })
})
