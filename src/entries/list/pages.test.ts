import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { type Toolbox, toolbox } from '../../../test/support/toolbox.ts'
import type { Instant } from '../../shared/time.ts'

const path = '/api/v1/keepalive/list'
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia']
const urls = [
  'https://Example.com/a',
  'https://example.com/b?c=d&e=%20f',
  'http://app.example.net:8080/[x]*?^$+{1}(2)|3',
  "https://café.example.org/ÄÖÜ/straße_%/'quoted'",
  'https://пример.example.org/Путь',
  'https://a.example.org/back\\slash',
  `https://long.example.org/${'x'.repeat(600)}`,
]

type Item = {
  id: string
  url: string
  status: boolean
  owner: string
  createdAt: number
  lastRun: { timestamp: number } | null
}
type Asked = {
  page?: number
  size?: number
  sort?: string
  order?: string
  zone?: string
  filters: Record<string, string>
}

const query = ({ filters, ...rest }: Asked) =>
  new URLSearchParams([
    ...Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
    ...Object.entries(filters).map(([key, text]): [string, string] => [`filter[${key}]`, text]),
  ]).toString()

/** `22/11/2026` in this zone, as the standard library has it. */
const dayIn = (zone: string, at: Instant) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, day: '2-digit', month: '2-digit', year: 'numeric' }).format(at)

const inOrder = (text: string, letters: string) => {
  let rest = text.toLowerCase()
  return [...letters.toLowerCase()].every((letter) => {
    const at = rest.indexOf(letter)
    rest = rest.slice(at + 1)
    return at !== -1
  })
}
const isAt = (at: Instant | undefined, text: string, zone: string) =>
  text === '–' ? at === undefined : at !== undefined && dayIn(zone, at).endsWith(text)

/** What the list should find, in plain words over the whole of it. */
function found(all: readonly Item[], { filters, sort, order, zone = 'UTC' }: Asked): string[] {
  const tests: Record<string, (item: Item, text: string) => boolean> = {
    id: (item, text) => item.id === text.toLowerCase(),
    url: (item, text) => item.url.toLowerCase().includes(text.toLowerCase()),
    status: (item, text) => (item.status ? 'active' : 'inactive') === text.toLowerCase(),
    owner: (item, text) => inOrder(item.owner, text),
    createdAt: (item, text) => isAt(item.createdAt, text, zone),
    lastRun: (item, text) => isAt(item.lastRun?.timestamp, text, zone),
  }
  const values: Record<string, (item: Item) => string | number | null> = {
    id: (item) => item.id,
    url: (item) => item.url.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).slice(0, 400),
    status: (item) => (item.status ? 'active' : 'inactive'),
    owner: (item) => item.owner,
    createdAt: (item) => item.createdAt,
    lastRun: (item) => item.lastRun?.timestamp ?? null,
  }
  const direction = (order ?? (sort ? 'asc' : 'desc')) === 'asc' ? 1 : -1
  const value = values[sort ?? 'createdAt']!
  return all
    .filter((item) =>
      Object.entries(filters).every(([key, text]) => text.trim() === '' || tests[key]!(item, text.trim())),
    )
    .sort((a, b) => {
      const [one, other] = [value(a), value(b)]
      if (one === null || other === null)
        return Number(one === null) - Number(other === null) || direction * compare(a.id, b.id)
      return direction * (compare(one, other) || compare(a.id, b.id))
    })
    .map(({ id }) => id)
}
const compare = (a: string | number, b: string | number) =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

describe.each(bothDialects)('a list of entries page by page on %s', (dialect) => {
  let box: Toolbox
  let ada: ReturnType<Toolbox['as']>
  let boss: ReturnType<Toolbox['as']>
  let all: Item[]

  beforeAll(async () => {
    box = await toolbox(dialect)
    const people = [await box.person('ada'), await box.person('eve.of-old'), await box.person('boss', 2)]
    ada = box.as(people[0]!)
    boss = box.as(people[2]!)
    const start = Date.UTC(2025, 11, 28)
    // What the other tool's entries need.
    const token = box.context.secrets.seal('token', 'entry.settings')
    const rows = Array.from({ length: 180 }, (_, n) => ({
      id: `e${((n * 7919) % 65_536).toString(16).padStart(4, '0')}`,
      tool: n % 12 === 5 ? 'ghmdinvalidator' : 'keepalive',
      owner_id: people[n % 3]!.id,
      status: n % 5 === 0 ? (0 as const) : (1 as const),
      settings: JSON.stringify({ url: `${urls[n % urls.length]}${n % 4 === 0 ? '' : n}`, interval: null, token }),
      address: null,
      created_at: start + Math.floor(n / 3) * 5_000_000,
      updated_at: start,
      last_at: n % 4 === 1 ? null : start + ((n * 37) % 180) * 9_000_000,
      last_success: n % 4 === 1 ? null : (1 as const),
    }))
    await box.db.q.insertInto('entry').values(rows).execute()
    all = (await boss.get(path)).body
  })
  afterAll(() => box.close())

  test('answers what a search and sort of the whole list would, whatever is asked', async () => {
    expect(all).toHaveLength(165)
    const part = fc.constantFrom(...urls).chain((url) =>
      fc
        .tuple(fc.nat(url.length - 1), fc.integer({ min: 1, max: 12 }), fc.constantFrom('lower', 'upper', 'same'))
        .map(([from, length, way]) => {
          const text = url.slice(from, from + length)
          if (way === 'lower') return text.toLowerCase()
          return way === 'upper' && !text.includes('ß') ? text.toUpperCase() : text
        }),
    )
    const time = fc.constantFrom('29/12/2025', '01/01/2026', '12/2025', '01/2026', '2026', '2024', '7/1/2026', '–')
    const shownTime = time.filter((text) => !/^\d\//.test(text))
    const filter = {
      url: part,
      id: fc.constantFrom('e0000', 'E1EEF', 'e9', 'nothing'),
      status: fc.constantFrom('Active', 'inactive', 'act'),
      owner: fc.constantFrom('ada', 'EVE', 'bs@', 'eo-d', '@example.com', 'zz', '%', '.'),
      createdAt: shownTime,
      lastRun: shownTime,
    }
    const asked: fc.Arbitrary<Asked> = fc
      .record(
        {
          page: fc.integer({ min: 1, max: 4 }),
          size: fc.integer({ min: 10, max: 200 }),
          sort: fc.constantFrom(...Object.keys(filter)),
          order: fc.constantFrom('asc', 'desc'),
          zone: fc.constantFrom(...zones),
          filters: fc.oneof(
            fc.constant({}),
            ...Object.entries(filter).map(([key, text]) => text.map((text) => ({ [key]: text }))),
            fc.record({ url: filter.url, owner: filter.owner, status: filter.status }),
          ),
        },
        { requiredKeys: ['filters', 'size'] },
      )
      .map((one) => one as Asked)
    await fc.assert(
      fc.asyncProperty(asked, async (one) => {
        const { status, body } = await boss.get(`${path}?${query(one)}`)
        expect(status, JSON.stringify(body)).toBe(200)
        const ids = found(all, one)
        const from = ((one.page ?? 1) - 1) * one.size!
        const rows = body.rows.map((row: Item) => row.id)
        expect({ total: body.total, rows }).toEqual({ total: ids.length, rows: ids.slice(from, from + one.size!) })
      }),
      { numRuns: 150 },
    )
  })

  test('holds the same rows as the whole list, newest first, and only those that one may see', async () => {
    const { body } = await ada.get(`${path}?page=1&size=10`)
    const whole = (await ada.get(path)).body as Item[]
    expect(body.total).toBe(whole.length)
    expect(whole.every(({ owner }) => owner === 'ada@example.com')).toBe(true)
    expect(body.rows).toMatchObject(whole.slice(0, 10))
    expect((await ada.get(`${path}?page=99`)).body).toEqual({ rows: [], total: whole.length })
    expect((await ada.get(`${path}?filter[owner]=eve`)).body).toEqual({ rows: [], total: 0 })
  })

  test('finds a time as it is shown, to the second', async () => {
    const { createdAt } = all[0]!
    const shown = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      dateStyle: 'short',
      timeStyle: 'medium',
      hourCycle: 'h12',
    })
    const [day, time] = shown.format(createdAt).toUpperCase().split(', ')
    const text = `${day} ${time!.padStart(11, '0')}`
    const { body } = await boss.get(`${path}?${query({ zone: 'Europe/Berlin', filters: { createdAt: text } })}`)
    expect(body.rows.map((row: Item) => row.createdAt)).toEqual(
      all.map((one) => one.createdAt).filter((at) => at === createdAt),
    )
  })

  test.each([
    ['page=0', 'page'],
    ['page=1&page=2', 'page'],
    ['size=9', 'size'],
    ['size=201', 'size'],
    ['sort=colour', 'sort'],
    ['order=up', 'order'],
    ['zone=Mars', 'zone'],
    ['filter[colour]=red', 'filter[colour]'],
    ['filter[herokuEndpoint]=x', 'filter[herokuEndpoint]'],
    ['filter[createdAt]=yesterday', 'filter[createdAt]'],
    ['filter[createdAt]=31/02/2026', 'filter[createdAt]'],
    ['filter[lastRun]=13/2026', 'filter[lastRun]'],
    ['filter[url]=%00', 'filter[url]'],
    ['colour=red', 'colour'],
  ])('refuses ?%s with a word about it', async (asked, field) => {
    expect(await boss.get(`${path}?${asked}`)).toMatchObject({
      status: 400,
      body: { error: expect.any(String), fields: { [field]: expect.any(String) } },
    })
  })

  test('counts active and inactive entries, and names those that ran last, as far as one may see them', async () => {
    for (const [who, mine] of [
      [boss, all],
      [ada, all.filter(({ owner }) => owner === 'ada@example.com')],
    ] as const) {
      const active = mine.filter(({ status }) => status).length
      const figures = { active, inactive: mine.length - active, total: mine.length, failing: 0, blocked: 0 }
      expect((await who.get('/api/v1/keepalive/figures')).body).toMatchObject(figures)
      const latest = mine.map((one) => one.lastRun?.timestamp ?? 0).sort((a, b) => b - a)
      const recent = (await who.get('/api/v1/keepalive/recent')).body.rows as Item[]
      expect(recent.map((one) => one.lastRun?.timestamp)).toEqual(latest.slice(0, 7))
      expect(mine).toEqual(expect.arrayContaining(recent.map((one) => ({ ...one, recent: undefined }))))
    }
    expect((await boss.get('/api/v1/ghmdinvalidator/figures')).body.total).toBe(15)
  })
})
