import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { turnJob } from '../../src/entries/store.ts'
import type { Db } from '../../src/platform/db/open.ts'
import { dayOf, days, hours, type Instant, minutes } from '../../src/shared/time.ts'

const hosts = ['billing-api-7f2.onrender.com', 'chess-917.fly.dev', 'notes-3c8.herokuapp.com', 'mailer.example.com']
const names = ['Billing', 'Chess club', 'Notes', null, 'Newsletter', 'Portfolio']
const columns = { id: 'text', settings: 'text', about: 'text', status: 'bigint', at: 'bigint' } as const

/** Inserts 10,000 entries of ada and one of layla with the longest valid URL; returns the ids to photograph. */
export async function fillEntries(db: Db, url: string, now: Instant) {
  const idOf = async (name: string) =>
    (await db.q.selectFrom('users').select('id').where('cred_username', '=', name).executeTakeFirstOrThrow()).id
  const ada = await idOf('ada')
  const insert = async (tool: string, owner: string, urls: readonly string[]) => {
    const entries = urls.map((url, index) => ({
      id: randomUUID(),
      settings: JSON.stringify({ url, interval: null }),
      about: url.replace(/^\w+:\/\/|\?.*$/g, '').slice(0, 200),
      status: index % 6 === 4 ? 0 : 1,
      at: now - days(40) - minutes(index),
    }))
    await sql`insert into entry (id, tool, owner_id, status, settings, about, created_at, updated_at)
      select id, ${tool}, ${owner}, status, settings, about, at, at from ${db.rows('entries', columns, entries)}
      where true`.execute(db.q)
    return entries.map(({ id }) => id)
  }
  const [whole = '', ...others] = await insert('keepalive', ada, [
    url,
    ...Array.from({ length: 9_999 }, (_, index) => `https://${hosts[index % hosts.length]}/health?of=${index}`),
  ])
  const [long = ''] = await insert('keepalive', await idOf('layla'), [
    `https://example.com/${'a-very-long-path/'.repeat(116)}`.padEnd(2_000, 'x'),
  ])
  await fillRuns(db, whole, now)
  for (const [index, id] of [whole, ...others.slice(0, 5)].entries()) {
    const isFailing = index === 2
    const last_at = now - minutes(7 * index + 2)
    const since = last_at - minutes(28)
    const last = { last_at, last_success: isFailing ? (0 as const) : (1 as const), last_duration: 214 }
    const trouble = { fails: 2, failing_since: since, incident_id: id, last_note: 'answered 503' }
    await db.q
      .updateTable('entry')
      .set({ name: names[index] ?? null, ...last, ...(isFailing && trouble) })
      .where('id', '=', id)
      .execute()
    if (isFailing) {
      const incident = { id, entry_id: id, since, opened_at: last_at, cause: 'answered 503' }
      await db.q.insertInto('incident').values(incident).execute()
    }
    if (id !== whole) await fillRecent(db, id, { last_at, fails: isFailing ? 2 : 0 })
  }
  await fillBadge(db, now)
  return { whole, long }
}

/** Inserts the recent runs that a row shows as bars, the newest `fails` of them failed. */
async function fillRecent(db: Db, entry_id: string, { last_at, fails }: { last_at: Instant; fails: number }) {
  const runs = Array.from({ length: 24 }, (_, index) => {
    const success: 0 | 1 = index < fails || index === 13 ? 0 : 1
    return {
      entry_id,
      at: last_at - minutes(28 * index),
      success,
      duration: 214,
      count: success ? 200 : 503,
      note: null,
    }
  })
  await db.q.insertInto('run').values(runs).execute()
}

async function fillRuns(db: Db, entry_id: string, now: Instant) {
  const runs = Array.from({ length: 96 }, (_, index) => {
    const success: 0 | 1 = index % 37 === 20 ? 0 : 1
    return {
      entry_id,
      at: now - minutes(28 * index + 2),
      success,
      duration: success ? 180 + ((index * 53) % 90) + (index % 17 === 3 ? 320 : 0) : 60_000,
      count: success ? 200 : null,
      note: success ? null : 'timeout after 60 s',
    }
  })
  await db.q.insertInto('run').values(runs).execute()
  const before = Array.from({ length: 70 }, (_, index) => {
    const fail = { 0: 3, 9: 1, 10: 22, 31: 51 }[index] ?? 0
    return { entry_id, day: dayOf(now - days(index)), ok: 51 - fail, fail, ms_sum: 20_000, ms_max: 590 }
  })
  await db.q.insertInto('run_day').values(before).execute()
  const due = now + minutes(26)
  await db.q
    .insertInto('job')
    .values({ id: turnJob(entry_id), kind: 'turn', entry_id, turn_at: due, due_at: due, free_at: due, attempt: 0 })
    .execute()
}

async function fillBadge(db: Db, now: Instant) {
  const month = 30
  const viewsOn = (index: number) => 200 + ((index * 137) % 500)
  const upTo = (index: number) => Array.from({ length: index }, (_, day) => viewsOn(day)).reduce((sum, n) => sum + n, 0)
  const badge = {
    tag: 'demo',
    camo: upTo(month),
    other: Math.round(upTo(month) / 3),
    last_view: now - hours(1),
    created_at: now - days(month),
  }
  await db.q
    .insertInto('badge')
    .values(badge)
    .onConflict((on) => on.column('tag').doUpdateSet(badge))
    .execute()
  const before = Array.from({ length: month }, (_, index) => ({
    tag: 'demo',
    day: dayOf(now - days(month - 1 - index)),
    camo: upTo(index),
    other: Math.round(upTo(index) / 3),
  }))
  await db.q.insertInto('badge_day').values(before).execute()
}
