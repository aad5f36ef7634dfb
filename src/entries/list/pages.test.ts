import { describe, expect, test, vi } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'

const path = '/api/v1/keepalive/list'

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
  filters?: Record<string, string>
}

const query = ({ filters = {}, ...rest }: Asked) =>
  new URLSearchParams([
    ...Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
    ...Object.entries(filters).map(([key, text]): [string, string] => [`filter[${key}]`, text]),
  ]).toString()

/** Inserted with the ids e0001, e0002 and so on. */
const entries: readonly [
  owner: 'ada' | 'eve' | 'boss',
  isActive: 0 | 1,
  created: string,
  ran: string | null,
  url: string,
][] = [
  ['ada', 1, '2025-12-28T23:30Z', '2026-01-01T04:00Z', 'https://Example.com/a'],
  ['eve', 0, '2025-12-29T12:00Z', null, 'https://example.com/b?c=d&e=%20f'],
  ['boss', 1, '2025-12-30T12:00Z', '2026-01-02T12:00Z', 'http://app.example.net:8080/[x]*?^$+{1}(2)|3'],
  ['ada', 1, '2026-01-01T00:30Z', null, "https://café.example.org/ÄÖÜ/straße_%/'quoted'"],
  ['eve', 1, '2026-01-02T12:00Z', '2025-12-31T23:30Z', 'https://пример.example.org/Путь'],
  ['boss', 0, '2026-01-03T12:00Z', '2026-01-07T12:00Z', 'https://a.example.org/back\\slash'],
  ['ada', 1, '2026-01-04T09:00Z', null, `https://long.example.org/${'x'.repeat(600)}`],
]

describe.each(bothDialects)('paged lists of entries on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))
  const people = {
    ada: await box.createPerson('ada'),
    eve: await box.createPerson('eve.of-old'),
    boss: await box.createPerson('boss', 2),
  }
  const ada = box.as(people.ada)
  const boss = box.as(people.boss)
  // Required by the other tool's entries.
  const token = box.context.secrets.seal('token', 'entry.settings')
  const row = (id: string, [owner, status, created, ran, url]: (typeof entries)[number]) => ({
    id,
    tool: 'keepalive',
    owner_id: people[owner].id,
    status,
    settings: JSON.stringify({ url, interval: null, token }),
    address: null,
    created_at: Date.parse(created),
    updated_at: 0,
    last_at: ran === null ? null : Date.parse(ran),
    last_success: ran === null ? null : (1 as const),
  })
  const more = Array.from({ length: 25 }, (_, n) => {
    const owner = (['ada', 'eve', 'boss'] as const)[n % 3]!
    const ran = n % 4 === 1 ? null : `2025-11-${10 + (n >> 1)}T12:00Z`
    return {
      ...row(`f${n + 10}`, [owner, n % 5 === 0 ? 0 : 1, '2025-11-01T12:00Z', ran, 'https://more.example/']),
      failing_since: n % 6 === 1 ? 1 : null,
      blocked_at: n % 9 === 2 ? 1 : null,
    }
  })
  /** Both were created at half past two in Berlin, in the hour that the clocks there repeat. */
  const others = more.slice(0, 2).map((one, n) => {
    return { ...one, id: `g${n}`, tool: 'ghmdinvalidator', created_at: Date.parse(`2025-10-26T0${n}:30Z`) }
  })
  const rows = [...entries.map((entry, n) => row(`e000${n + 1}`, entry)), ...more, ...others]
  await box.db.q.insertInto('entry').values(rows).execute()
  const all: Item[] = (await boss.get(path)).body

  const ask = async (parameters: Asked): Promise<{ rows: Item[]; total: number }> => {
    const { status, body } = await boss.get(`${path}?${query(parameters)}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  /** The matching entries among those above, by the last digit of their ids. */
  const find = async (parameters: Asked) =>
    (await ask({ ...parameters, size: 200 })).rows
      .flatMap(({ id }) => (id.startsWith('e') ? id.slice(-1) : []))
      .join(' ')

  const [berlin, newYork, kolkata, apia] = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia']
  test.each<[column: string, text: string, found: string, zone?: string]>([
    ['url', 'EXAMPLE.COM', '1 2'],
    ['url', '[X]*?^$+', '3'],
    ['url', 'äöü', '4'],
    ['url', 'CAFÉ', '4'],
    ['url', 'straße_%', '4'],
    ['url', "'Quoted", '4'],
    ['url', 'путь', '5'],
    ['url', 'BACK\\slash', '6'],
    ['url', 'xxxxxxxxxxxx', '7'],
    ['url', ' ', '1 2 3 4 5 6 7'],
    ['id', 'E0003', '3'],
    ['id', 'e000', ''],
    ['status', 'Active', '1 3 4 5 7'],
    ['status', 'inactive', '2 6'],
    ['status', 'act', ''],
    ['owner', 'ada', '1 4 7'],
    ['owner', 'EVE', '2 5'],
    ['owner', 'eo-d', '2 5'],
    ['owner', 'bs@', '3 6'],
    ['owner', '@example.com', '1 2 3 4 5 6 7'],
    ['owner', 'zz', ''],
    ['owner', '%', ''],
    ['createdAt', '29/12/2025', '2'],
    ['createdAt', '29/12/2025', '1 2', berlin],
    ['createdAt', '01/2026', '4 5 6 7'],
    ['createdAt', '01/2026', '5 6 7', newYork],
    ['createdAt', '12/2025', '1 2 3', kolkata],
    ['createdAt', '04/01/2026', '6 7', apia],
    ['createdAt', '2024', ''],
    ['lastRun', '01/01/2026', '1'],
    ['lastRun', '01/01/2026', '1 5', berlin],
    ['lastRun', '31/12/2025', '1 5', newYork],
    ['lastRun', '2026', '1 3 6'],
    ['lastRun', '–', '2 4 7'],
  ])('filters by %s: the text %j finds %j', async (column, text, found, zone = 'UTC') => {
    expect(await find({ zone, sort: 'id', filters: { [column]: text } })).toBe(found)
  })

  // Equal values are sorted by id in the same direction; entries without a value come last in both directions.
  test.each([
    ['id', '1 2 3 4 5 6 7', '7 6 5 4 3 2 1'],
    ['url', '3 6 4 1 2 7 5', '5 7 2 1 4 6 3'],
    ['status', '1 3 4 5 7 2 6', '6 2 7 5 4 3 1'],
    ['owner', '1 4 7 3 6 2 5', '5 2 6 3 7 4 1'],
    ['createdAt', '1 2 3 4 5 6 7', '7 6 5 4 3 2 1'],
    ['lastRun', '5 1 3 6 2 4 7', '6 3 1 5 7 4 2'],
  ])('sorts by %s: %s', async (sort, up, down) => {
    expect([await find({ sort, order: 'asc' }), await find({ sort, order: 'desc' })]).toEqual([up, down])
  })

  test('combines filters on several columns, and sorts newest first by default', async () => {
    expect(await find({ filters: { url: 'example.org', owner: 'ada', status: 'active' } })).toBe('7 4')
    expect(await find({})).toBe('7 6 5 4 3 2 1')
  })

  const sorts = [{}, ...['status', 'owner', 'lastRun', 'createdAt'].map((sort) => ({ sort }))]
  test.each(sorts)('has each entry on one page, sorted by %j', async (sort) => {
    for (const order of ['asc', 'desc'])
      for (const size of [10, 13]) {
        const whole = await ask({ ...sort, order, size: 200 })
        const numbers = Array.from({ length: Math.ceil(all.length / size) }, (_, index) => index + 1)
        const pages = await Promise.all(numbers.map((page) => ask({ ...sort, order, page, size })))
        expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows)
        expect(pages.map(({ total }) => total)).toEqual(numbers.map(() => all.length))
      }
  })

  test('starts with the failing and blocked entries that run, newest first', async () => {
    const first = (await ask({ size: 200 })).rows.slice(0, 7).map(({ id }) => id)
    expect(first).toEqual(['f29', 'f23', 'f21', 'f17', 'f12', 'f11', 'e0007'])
  })

  test('has the rows of the unpaged list in the same order, and only entries that the user may see', async () => {
    const { body } = await ada.get(`${path}?page=1&size=10`)
    const whole = (await ada.get(path)).body as Item[]
    expect(body.total).toBe(whole.length)
    expect(whole.every(({ owner }) => owner === 'ada@example.com')).toBe(true)
    expect(body.rows).toMatchObject(whole.slice(0, 10))
    expect((await ada.get(`${path}?page=99`)).body).toEqual({ rows: [], total: whole.length })
    expect((await ada.get(`${path}?filter[owner]=eve`)).body).toEqual({ rows: [], total: 0 })
  })

  test('filters by a time as displayed, to the second', async () => {
    const { createdAt } = all[0]!
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      dateStyle: 'short',
      timeStyle: 'medium',
      hourCycle: 'h12',
    })
    const [day, time] = format.format(createdAt).toUpperCase().split(', ')
    const text = `${day} ${time!.padStart(11, '0')}`
    const { body } = await boss.get(`${path}?${query({ zone: 'Europe/Berlin', filters: { createdAt: text } })}`)
    expect(body.rows.map((row: Item) => row.createdAt)).toEqual(
      all.map((one) => one.createdAt).filter((at) => at === createdAt),
    )
  })

  test('finds both entries of an hour that the clocks repeat by the time displayed for them', async () => {
    const parameters = query({ zone: berlin, filters: { createdAt: '26/10/2025 02:30:00 AM' } })
    const { body } = await boss.get(`/api/v1/ghmdinvalidator/list?${parameters}`)
    expect(body.rows.map(({ id }: Item) => id)).toEqual(['g1', 'g0'])
    const skipped = await find({ zone: berlin, filters: { createdAt: '30/03/2025 02:30:00 AM' } })
    expect(skipped).toBe('')
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
  ])('rejects ?%s with an error for the parameter', async (parameters, field) => {
    expect(await boss.get(`${path}?${parameters}`)).toMatchObject({
      status: 400,
      body: { error: expect.any(String), fields: { [field]: expect.any(String) } },
    })
  })

  test('counts entries and lists those that ran last, limited to entries that the user may see', async () => {
    for (const [who, mine, trouble] of [
      [boss, all, { failing: 4, blocked: 2 }],
      [ada, all.filter(({ owner }) => owner === 'ada@example.com'), { failing: 0, blocked: 0 }],
    ] as const) {
      const active = mine.filter(({ status }) => status).length
      const figures = { active, inactive: mine.length - active, total: mine.length, ...trouble }
      expect((await who.get('/api/v1/keepalive/figures')).body).toMatchObject(figures)
      const latest = mine.map((one) => one.lastRun?.timestamp ?? 0).sort((a, b) => b - a)
      const recent = (await who.get('/api/v1/keepalive/recent')).body.rows as Item[]
      expect(recent.map((one) => one.lastRun?.timestamp)).toEqual(latest.slice(0, 7))
      expect(mine).toEqual(expect.arrayContaining(recent.map((one) => ({ ...one, recent: undefined }))))
    }
    expect((await boss.get('/api/v1/ghmdinvalidator/figures')).body.total).toBe(2)
  })

  test('lists an entry once that recovers while the page is read', async () => {
    const set = (fails: { fails: number; failing_since: number | null; incident_id: string | null }) =>
      box.db.q.updateTable('entry').set(fails).where('id', '=', 'e0001').execute()
    await set({ fails: 2, failing_since: 1, incident_id: 'i1' })
    const { longRead } = box.db
    vi.spyOn(box.db, 'longRead').mockImplementationOnce(async (...args) => {
      const read = await longRead(...args)
      await set({ fails: 0, failing_since: null, incident_id: null })
      return read as never
    })
    const { rows, total } = await ask({ size: 200 })
    expect([rows.map(({ id }) => id).toSorted(), total]).toEqual([all.map(({ id }) => id).toSorted(), all.length])
  })
})
