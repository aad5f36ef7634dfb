import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/open.ts'
import { median } from '../stage/measure.ts'
import { openScene } from '../stage/scene.ts'
import { atMost, type Row } from '../table.ts'

const sizes = [1_000, 10_000, 100_000]
const rounds = 5
/** For a page, and for a pause of the event loop. */
const within = 50
const list = '/api/v1/keepalive/list'
const page = `${list}?page=1&size=200`
const searches = {
  url: `${page}&filter[url]=app-777.`,
  owner: `${page}&filter[owner]=person42@`,
  'a month': `${page}&filter[createdAt]=10/2025`,
  name: `${page}&filter[name]=shop 777`,
  health: `${page}&health=failing`,
}
const home = { figures: '/api/v1/keepalive/figures', 'open incidents': '/api/v1/incidents?open=true' }

/** Measures lists of several sizes: time and weight of a page, and how long the whole list blocks the event loop. */
export async function lists(): Promise<Row[]> {
  const scene = await openScene()
  const rows: Row[] = []
  try {
    for (const size of sizes) {
      await scene.prepare((db) => seedList(db, size))
      const site = await scene.site()
      const { name, value } = await site.ask('signIn', 'boss')
      const ask = (path: string) => answer(`${scene.siteUrl}${path}`, `${name}=${value}`)
      const count = `${size.toLocaleString('en')} entries`
      const first = await medianOf(() => ask(page))
      const pauses: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        await site.ask('longestPause')
        await ask(page)
        pauses.push(await site.ask('longestPause'))
      }
      rows.push(atMost(`${count}: pause of the event loop by a page`, median(pauses), within, 'ms', ''))
      rows.push(atMost(`${count}: a page`, first.ms, within, 'ms', 'the first 200, at the server'))
      rows.push(atMost(`${count}: weight of a page`, first.bytes / 1_000, 100, 'kB', 'compressed'))
      rows.push(
        atMost(`${count}: last page`, (await medianOf(() => ask(`${list}?page=${size / 200}`))).ms, within, 'ms', ''),
      )
      for (const [what, path] of Object.entries(searches))
        rows.push(
          atMost(
            `${count}: filter by ${what}`,
            (await medianOf(() => ask(path))).ms,
            300,
            'ms',
            path.slice(page.length + 1),
          ),
        )
      for (const [what, path] of Object.entries(home))
        rows.push(atMost(`${count}: ${what} of Home`, (await medianOf(() => ask(path))).ms, within, 'ms', ''))
      await site.ask('longestPause')
      const whole = await ask(list)
      const pause = await site.ask('longestPause')
      rows.push(
        atMost(
          `${count}: longest pause of the event loop`,
          pause,
          within,
          'ms',
          `while it answers all in ${Math.round(whole.ms)} ms`,
        ),
      )
      await site.ask('stop')
      site.end()
    }
    return rows
  } finally {
    scene.close()
  }
}

export async function medianOf(ask: () => Promise<{ ms: number; bytes: number }>) {
  const answers = []
  for (let round = 0; round < rounds; round += 1) answers.push(await ask())
  return { ms: median(answers.map(({ ms }) => ms)), bytes: median(answers.map(({ bytes }) => bytes)) }
}

/** Measures the time of a response in ms, and its compressed size in bytes. */
export function answer(url: string, cookie: string): Promise<{ ms: number; bytes: number }> {
  const from = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { headers: { cookie, 'accept-encoding': 'gzip' } }, (response) => {
      let bytes = 0
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}.`))
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () => resolve({ ms: performance.now() - from, bytes }))
      response.on('error', reject)
    }).on('error', reject)
  })
}

const people = 1_000
const batch = 5_000

/** One in every `failing` entries fails and has an open incident. */
const failing = 50
const runsOfShown = 30
/** The newest entries, which have runs to show. */
const shown = 1_000

/** Seeds `size` entries that belong to a thousand users; `boss` may see all of them. */
export async function seedList(db: Db, size: number): Promise<void> {
  const users = [
    { id: 'boss', email: 'boss@example.com', roles: '{"Admin":0,"Tools":2}' },
    ...Array.from({ length: people }, (_, n) => ({
      id: `u${n}`,
      email: `person${n}@example.com`,
      roles: '{"Admin":0,"Tools":1}',
    })),
  ]
  const at = new Date(0).toISOString()
  await sql`insert into users (id, name, email, email_verified, status, tags, roles, created_at, updated_at)
    select id, id, email, 1, 2, '[]', roles, ${at}, ${at}
    from ${db.rows('people', { id: 'text', email: 'text', roles: 'text' }, users)} where true on conflict do nothing`.execute(
    db.q,
  )
  await sql`delete from entry`.execute(db.q)
  const columns = {
    ...({ id: 'text', owner: 'text', status: 'bigint', settings: 'text', at: 'bigint' } as const),
    ...({ name: 'text', success: 'bigint', recent: 'bigint' } as const),
  }
  for (let from = 0; from < size; from += batch) {
    const entries = Array.from({ length: Math.min(batch, size - from) }, (_, n) => ({
      id: randomUUID(),
      owner: `u${(from + n) % people}`,
      status: (from + n) % 10 === 0 ? 0 : 1,
      settings: JSON.stringify({
        url: `https://app-${from + n}.example.com/health?key=${randomUUID()}`,
        interval: null,
      }),
      at: Date.UTC(2025, 9, 1) + (from + n) * 40_000,
      name: `Shop ${from + n}`,
      success: (from + n) % failing === 1 ? 0 : 1,
      recent: from + n >= size - shown ? 1 : 0,
    }))
    const rows = db.rows('entries', columns, entries)
    await sql`insert into entry (id, tool, owner_id, status, settings, created_at, updated_at, last_at, last_success,
        name, fails, failing_since)
      select id, 'keepalive', owner, status, settings, at, at, at, success,
        name, 1 - success, case success when 0 then at end from ${rows} where true`.execute(db.q)
    await sql`insert into incident (id, entry_id, since, opened_at, cause)
      select id, id, at, at, 'answered 503' from ${rows} where success = 0 and status = 1`.execute(db.q)
    await sql`with recursive turn (n) as (select 1 union all select n + 1 from turn where n < ${runsOfShown})
      insert into run (entry_id, at, success, duration)
      select id, at - n * 1680123 - length(name) * 7919, success, 120 from ${rows} join turn on recent = 1`.execute(
      db.q,
    )
  }
}
