import { randomUUID } from 'node:crypto'
import type { Db } from '../../../src/platform/db/open.ts'
import { dayOf, days, type Instant, minutes } from '../../../src/shared/time.ts'
import { overrideFields, press, type Shot, shot } from '../shot.ts'

const names = ['Shop', 'Billing API', 'ليلى', 'Notes', null, `Long ${'word '.repeat(15)}`.slice(0, 80).trim()]

/** Inserts a public status page of layla's with fifty entries, some failing, and resolved incidents. */
export async function fillStatusPage(db: Db, now: Instant) {
  const layla = db.q.selectFrom('users').select('id').where('cred_username', '=', 'layla')
  const user = await layla.executeTakeFirstOrThrow()
  const page = randomUUID()
  await db.q
    .insertInto('status_page')
    .values({
      id: page,
      user_id: user.id,
      slug: 'gallery',
      title: 'Gallery of services',
      text: 'Everything we run for you. Questions? See https://example.com/help.',
      created_at: now,
      updated_at: now,
    })
    .execute()
  for (let index = 0; index < 50; index += 1) {
    const id = randomUUID()
    const isDown = index === 1
    const incident = randomUUID()
    const url = `https://service-${index}.example.com/health`
    const about = url.slice('https://'.length)
    const settings = JSON.stringify({ url, interval: null })
    const health = isDown ? { failing_since: now - minutes(40), incident_id: incident } : {}
    const entry = { id, tool: 'keepalive', owner_id: user.id, about, settings, address: null, ...health }
    await db.q
      .insertInto('entry')
      .values({
        ...entry,
        name: index < names.length ? (names[index] ?? null) : `Service ${index}`,
        status: index % 9 === 3 ? 0 : 1,
        created_at: now - days(40),
        updated_at: now,
        last_at: now - minutes(2),
        last_success: isDown ? 0 : 1,
      })
      .execute()
    await db.q
      .insertInto('status_page_entry')
      .values({ page_id: page, entry_id: id, position: index, show_url: index % 5 === 0 ? 1 : 0 })
      .execute()
    const runs = Array.from({ length: index === 2 ? 20 : 90 }, (_, ago) => {
      const fail = (ago * 31 + index * 17) % 43 === 0 ? 1 + ((ago * 7 + index) % 51) : 0
      return { entry_id: id, day: dayOf(now - days(ago)), ok: 51 - fail, fail, ms_sum: 1, ms_max: 1 }
    })
    await db.q.insertInto('run_day').values(runs).execute()
    const since = isDown ? now - minutes(40) : now - days(index * 2) - minutes(90)
    const closed_at = isDown ? null : since + minutes(17 * (index + 1))
    const noted = isDown ? { note: 'We are on it. Payments you start now are kept.', noted_at: now - minutes(20) } : {}
    if (index % 3 === 1)
      await db.q
        .insertInto('incident')
        .values({ id: incident, entry_id: id, since, opened_at: since, closed_at, cause: 'answered 503', ...noted })
        .execute()
  }
}

const entries = names.map((name, index) => ({
  id: `any-${index}`,
  tool: index === 3 ? 'herokudiscordwebhook' : 'keepalive',
  name: index === 1 ? 'Billing' : null,
  entryName: name,
  about: `service-${index}.example.com/health`,
  showUrl: index % 2 === 0,
}))
const page = {
  slug: 'gallery',
  title: 'Gallery of services',
  text: 'Everything we run for you.',
  url: 'http://localhost:3000/status/gallery',
  updatedAt: 0,
}
const own = '/user/status'

export const statusShots: readonly Shot[] = [
  shot('status-page', 'nobody', '/status/gallery', 'Made with'),
  shot('status-page-missing', 'nobody', '/status/nobody', 'Page not found'),
  shot('own-status-page-empty', 'noor', own, "You don't have any entries yet"),
  shot('own-status-page-new', 'ada', own, 'Your page shows no entries yet'),
  shot('own-status-page', 'ada', own, 'What visitors will see', {
    before: overrideFields('/api/v1/user/status', { ...page, entries }),
  }),
  shot('badge-card', 'ada', ({ entries: { whole } }) => `/tools/keepalive/modify?id=${whole}`, 'Regenerate badge URL', {
    act: press('Customize badge'),
  }),
]
