import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { createPerson, signedIn } from '../../../test/support/people.ts'
import { type Toolbox, toolbox } from '../../../test/support/toolbox.ts'
import { accountStatuses, rolesInWords } from '../../shared/user.ts'
import type { ListedUser } from './contract.ts'

const path = '/api/v1/admin/users'
const names = ['Ada Lovelace', 'ÉMILE Borel', 'émile Zola', 'Жуковский', 'zoe', 'Zoe', '100% *real*', 'a_b (c)']
const start = Date.UTC(2026, 0, 1)

type Key = 'id' | 'name' | 'email' | 'status' | 'roles' | 'lastUsageTimestamp'
type Asked = { sort?: Key; order?: 'asc' | 'desc'; filters: Partial<Record<Key, string>> }

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

const tests: Record<Key, (user: ListedUser, text: string) => boolean> = {
  id: (user, text) => hasInOrder(user.id, text),
  name: (user, text) => hasInOrder(user.name, text),
  email: (user, text) => hasInOrder(user.email, text),
  status: (user, text) => statusOf(user).toLowerCase() === text.toLowerCase(),
  roles: (user, text) => rolesInWords(user.roles).toLowerCase().includes(text.toLowerCase()),
  lastUsageTimestamp: ({ lastUsageTimestamp: at }, text) => (at === null ? text === '–' : day(at).endsWith(text)),
}
const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
const values: Record<Key, (user: ListedUser) => string | number | null> = {
  id: (user) => user.id,
  name: (user) => lower(user.name),
  email: (user) => user.email,
  status: statusOf,
  roles: (user) => user.roles.Admin * 3 + user.roles.Tools,
  lastUsageTimestamp: (user) => user.lastUsageTimestamp,
}
const compare = (a: string | number, b: string | number) =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

/** The values by which those are sorted whom the list should find, and their ids. */
function found(all: readonly ListedUser[], { filters, sort, order }: Asked) {
  const value = sort ? values[sort] : (user: ListedUser) => user.createdAt
  const direction = (order ?? (sort ? 'asc' : 'desc')) === 'asc' ? 1 : -1
  return all
    .filter((user) => Object.entries(filters).every(([key, text]) => tests[key as Key](user, text)))
    .map((user) => ({ id: user.id, value: value(user) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
      return direction * compare(a.value, b.value)
    })
}

describe.each(dialects)('a list of users page by page on %s', (dialect) => {
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
      })
      const last = n % 3 === 0 ? null : box.db.timestamp(start + ((n * 17) % 45) * 43_200_000)
      const changes = { name: names[n % names.length]!, last_usage_timestamp: last }
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
    const filters = {
      id: fc.constantFrom('a', 'B-', '4', 'zzz'),
      name: fc.constantFrom('ada', 'ÉM', 'éz', 'ЖК', 'zoe', '%*', '_(', 'bl', 'emile'),
      email: fc.constantFrom('P1@', 'boss', 'person4', '@.com', '+'),
      status: fc.constantFrom('active', 'Inactive', 'BLOCKED', 'act'),
      roles: fc.constantFrom('admin', 'Admin 2', 'tools 1', 'admin 1, tools 2', '–', 'none'),
      lastUsageTimestamp: fc.constantFrom('02/01/2026', '01/2026', '2026', '2025', '–'),
    }
    const keys = Object.keys(filters) as Key[]
    const asked: fc.Arbitrary<Asked> = fc
      .record(
        {
          sort: fc.constantFrom(...keys),
          order: fc.constantFrom('asc' as const, 'desc' as const),
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

  test.each([
    ['page=0', 'page'],
    ['size=5', 'size'],
    ['sort=tags', 'sort'],
    ['filter[tags]=x', 'filter[tags]'],
    ['filter[lastUsageTimestamp]=soon', 'filter[lastUsageTimestamp]'],
    ['ids=x', 'ids'],
  ])('refuses ?%s with a word about it', async (asked, field) => {
    expect(await screen.get(`${path}?${asked}`)).toMatchObject({
      status: 400,
      body: { fields: { [field]: expect.any(String) } },
    })
  })
})
