import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { dayOf, days, hours, minutes } from '../../../src/shared/time.ts'
import type { House } from '../../support/page/house.ts'
import { cellOf, expect, test } from '../../support/page/kit.ts'
import { list, listCall, paramsOf, seedEntries } from '../../support/page/long-list.ts'

test.use({ visitor: 'ada', viewport: { width: 1400, height: 900 } })

const modify = '/tools/keepalive/modify'
const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Edit' }) })
const icon = (page: Page) => page.locator('link[rel=icon]')

/** A named entry that has failed as often as it takes to open an incident. */
async function failed(house: House, name: string) {
  const { body } = await house.call<{ id: string }>('POST', '/api/v1/keepalive/', {
    name,
    url: house.target.url('/down'),
    notifyAfter: 1,
  })
  await expect
    .poll(async () => (await house.call<unknown[]>('GET', `/api/v1/incidents?open=true&id=${body.id}`)).body.length)
    .toBe(1)
  return body.id
}
const recover = (house: House, id: string) =>
  house.call('PATCH', '/api/v1/keepalive', { id, url: house.target.url('/well') })

test('a failing entry shows it in its row, and lists can be narrowed to those by their address', async ({
  page,
  house,
}) => {
  const bad = await failed(house, 'Billing API')
  const fine = await house.entry('/fine')
  await expect.poll(() => house.target.visits('/fine')).toBe(1)
  await page.goto(list)
  const [row, other] = [rows(page).filter({ hasText: 'Billing API' }), rows(page).filter({ hasText: fine })]
  await expect(cellOf(row, 'Status')).toHaveText('Active')
  await expect(cellOf(row, 'Name')).toHaveText(/^Billing APIFailing for \d+ seconds? · answered 503$/)
  await expect(rows(page).first()).toContainText('Billing API')
  await expect(cellOf(row, 'Last Run')).toHaveText(/^\d\d\/\d\d\/\d{4} /)
  const bars = cellOf(row, 'Last 30 runs').getByRole('img', { name: 'The last run failed' })
  await bars.hover({ position: { x: 1, y: 8 } })
  await expect(bars.locator('..')).toHaveAttribute('title', /^FAIL · \d\d\/\d\d\/\d{4}/)
  await expect(cellOf(other, 'Status')).toHaveText('Active')
  const about = house.target.url('/fine').replace('http://', '')
  await expect(cellOf(other, 'Name').getByRole('link', { name: about })).toHaveAttribute('href', `${modify}?id=${fine}`)
  await expect(cellOf(other, 'Name')).toContainText(/Up · \d+ ms$/)
  await page.getByLabel('Search Name').fill('billing')
  await expect(rows(page)).toHaveCount(1)
  await page.getByLabel('Search Name').fill('')
  await expect(other).toBeVisible()

  await page.goto(`${list}?health=failing`)
  await expect(rows(page)).toHaveCount(1)
  await expect(row).toBeVisible()
  const chips = page.getByRole('group', { name: 'Show entries' }).getByRole('button')
  await expect(chips).toHaveText([/^All \d+$/, 'Failing 1', /^Paused \d+$/, /^New \d+$/])
  await expect(chips.nth(1)).toHaveAttribute('aria-pressed', 'true')
  await recover(house, bad)
  await expect(page.getByText('No rows match your search.')).toBeVisible()
  await chips.first().click()
  await expect(page).toHaveURL(list)
  await expect(other).toBeVisible()
  await expect(cellOf(row, 'Name')).toContainText('Up')
  for (const id of [bad, fine]) await house.remove(id)
})

test('of a long list the server answers those that fail, and one that fails or recovers comes or goes @release', async ({
  page,
  house,
}) => {
  const { body: users } = await house.call<{ id: string; email: string }[]>('GET', '/api/v1/admin/users')
  const ada = users.find(({ email }) => email === 'ada@example.com')!
  const ids = await seedEntries(house, ada, 201)
  const bad = await failed(house, 'Billing API')
  const asked = page.waitForRequest((request) => listCall.test(request.url()) && request.url().includes('health='))
  await page.clock.install()
  await page.goto(`${list}?health=failing`)
  expect(paramsOf(await asked)).toMatchObject({ health: 'failing', page: '1' })
  await expect(rows(page)).toHaveText([/Billing API.*Failing for/])
  await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText(/^1 row/)
  await recover(house, bad)
  await expect(page.getByText('No rows match your search.')).toBeVisible()
  const again = await failed(house, 'Mailer')
  // The list is asked for again at most every two seconds.
  await page.clock.runFor(2_000)
  await expect(rows(page)).toHaveText([/Mailer.*Failing for/])
  const db = openSqlite(house.folder)
  await db.q.deleteFrom('entry').where('id', 'in', ids).execute()
  await db.close()
  for (const id of [bad, again]) await house.remove(id)
})

test('Home and the tab tell first what fails, and that all is well once it is', async ({ page, house }) => {
  for (const { id } of await house.entries()) await house.remove(id)
  const fine = await house.entry('/fine-at-home')
  await page.goto('/')
  const main = page.getByRole('main')
  const incidents = main.getByRole('region', { name: 'Open incidents' })
  await expect(main.getByText('All good · 1 entry is up')).toBeVisible()
  await expect(icon(page)).toHaveAttribute('href', /\/icon-[^/]*\.svg$/)
  const usual = await icon(page).getAttribute('href')

  const many = Array.from({ length: 200 }, (_, at) => ({
    ...{ id: String(at), entry: fine, tool: 'keepalive', name: 'One', about: 'one', since: 1, openedAt: 1 },
    ...{ closedAt: null, cause: 'answered 503', blocked: false },
  }))
  const older = { ...many[0], id: 'older', openedAt: 0 }
  await page.route('**/api/v1/incidents?open=true*', (route) =>
    route.fulfill({ json: route.request().url().endsWith('&before=1') ? [older] : many }),
  )
  await page.reload()
  await incidents.getByRole('button', { name: 'Show the newest 200' }).click()
  await expect(incidents.getByRole('listitem')).toHaveCount(200)
  await incidents.getByRole('button', { name: 'Show older' }).click()
  await expect(incidents.getByRole('listitem')).toHaveCount(201)
  await expect(incidents.getByRole('button', { name: 'Show' })).toHaveCount(0)
  await page.unroute('**/api/v1/incidents?open=true*')
  await page.reload()

  const url = house.target.url('/down')
  const soon = await house.call<{ id: string }>('POST', '/api/v1/keepalive/', { name: 'Mailer', url, notifyAfter: 3 })
  const line = main.getByText('Mailer is failing · 2 more failed runs open an incident and notify the owner')
  await expect(line).toBeVisible()
  await expect(line.getByRole('link', { name: 'Mailer' })).toHaveAttribute('href', `${modify}?id=${soon.body.id}`)
  await house.remove(soon.body.id)
  await expect(main.getByText('All good · 1 entry is up')).toBeVisible()

  const bad = await failed(house, 'Billing API')
  await expect(incidents.getByRole('listitem')).toHaveText([
    /^Billing APIKeep Alive · 127.0.0.1:\d+\/downFailing for \d+ seconds?answered 503Run now Billing APIOpen Billing API$/,
  ])
  await expect(incidents.getByRole('img', { name: 'The last run failed' })).toBeVisible()
  await expect(main.getByText('All good')).toHaveCount(0)
  const visits = house.target.visits('/down')
  await incidents.getByRole('button', { name: 'Run now Billing API' }).click()
  await expect(page.getByText('Run started.')).toBeVisible()
  await expect.poll(() => house.target.visits('/down')).toBe(visits + 1)
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await incidents.evaluate((place) => place.getBoundingClientRect().bottom)).toBeLessThan(300)
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(await incidents.evaluate((place) => place.getBoundingClientRect().bottom)).toBeLessThan(240)
  await expect(icon(page)).toHaveAttribute('href', /\/icon-trouble-/)
  const card = main.getByRole('list', { name: 'Tools' }).getByRole('listitem').filter({ hasText: 'Keep Alive' })
  await expect(card.getByRole('link', { name: /Keep Alive/ })).toHaveAttribute('href', '/tools/keepalive')
  await card.getByRole('link', { name: '1 failing' }).click()
  await expect(page).toHaveURL(`${list}?health=failing`)
  await expect(rows(page)).toHaveText([/Billing API/])
  await page.goBack()
  await incidents.getByRole('link', { name: 'Open Billing API' }).click()
  await expect(page).toHaveURL(`${modify}?id=${bad}`)
  await page.getByRole('link', { name: '1 failing entry' }).click()
  await expect(page).toHaveURL(`${list}?health=failing`)

  await page.goto('/')
  await expect(incidents).toBeVisible()
  await recover(house, bad)
  await expect(main.getByText('All good · 2 entries are up')).toBeVisible()
  await expect(incidents).toHaveCount(0)
  await expect(card.getByRole('link', { name: 'failing' })).toHaveCount(0)
  await expect(icon(page)).toHaveAttribute('href', usual ?? '')
  for (const id of [bad, fine]) await house.remove(id)
})

test('an entry is called by its name on its page, which shows its uptime, its days and its incidents @release', async ({
  page,
  house,
}) => {
  const id = await failed(house, 'Billing API')
  await remember(house, id)
  await page.goto(`${modify}?id=${id}`)
  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toHaveText('Billing API')
  await expect(page).toHaveTitle('ToolBox - Billing API')

  const open = page.getByRole('region', { name: 'Open incident' })
  await expect(open).toContainText('1 failed run')
  await expect(open.getByRole('listitem')).toHaveText([
    /^First failureanswered 503/,
    /^Incident opened1 failure/,
    /^Next run/,
  ])
  const past = page.getByRole('list', { name: 'Past incidents' }).getByRole('listitem')
  await expect(past).toHaveText([/^timeout after 60 s42 minutes/])
  const uptime = page.getByRole('region', { name: 'Uptime and response time' })
  await expect(uptime.getByRole('definition')).toHaveText(['0%', '1 of 1', '–', '–'])
  await uptime.getByRole('button', { name: '30 d' }).click()
  await expect(uptime.getByRole('definition')).toHaveText([/^9\d\.\d+%$/, /^4 of 1,\d+$/, /ms$/])
  await expect(uptime.getByRole('img', { name: '3 of 51 runs failed' })).toBeVisible()

  await recover(house, id)
  const runs = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  await expect(runs).toHaveText([/^SUCCESS.*200 · \d+ ms/, /^FAIL.*answered 503 · \d+ ms/])
  await expect(open).toHaveCount(0)
  await expect(past).toHaveCount(2)

  await page.getByLabel('Name').fill('Shop front')
  await page.getByLabel('Notify after').fill('21')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Use a whole number from 1 to 20.').first()).toBeVisible()
  await page.getByLabel('Notify after').fill('3')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(heading).toHaveText('Shop front')
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: `Delete ${id} ?` })
  await expect(dialog).toContainText('Shop front')
  await dialog.getByRole('button', { name: 'No' }).click()
  await page.getByLabel('Name').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(heading).toHaveText(house.target.url('/well').replace('http://', ''))
  await house.remove(id)
})

/** A month of days, of which one was bad, and an incident that is over. */
async function remember(house: House, entry_id: string) {
  const db = openSqlite(house.folder)
  const now = Date.now()
  const before = Array.from({ length: 50 }, (_, index) => {
    const fail = index === 9 ? 3 : 0
    return { entry_id, day: dayOf(now - days(index + 2)), ok: 51 - fail, fail, ms_sum: 9_000, ms_max: 300 }
  })
  await db.q.insertInto('run_day').values(before).execute()
  const since = now - days(11) - hours(1)
  const closed_at = since + minutes(42)
  await db.q
    .insertInto('incident')
    .values({ id: randomUUID(), entry_id, since, opened_at: since, closed_at, cause: 'timeout after 60 s' })
    .execute()
  await db.close()
}

test('the chart of an invalidator shows how many images it purged @release', async ({ page, house }) => {
  const url = house.github.page('/owner/charted', [house.github.image('https://a.example/b.svg')])
  const { body } = await house.call<{ id: string }>('POST', '/api/v1/ghmdinvalidator/', { url })
  await page.goto(`/tools/ghmdinvalidator/modify?id=${body.id}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('owner/charted')
  const card = page.getByRole('region', { name: 'Success rate and images purged' })
  await expect(card.getByRole('img', { name: 'Images purged' })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Runs' })).toContainText('1 purged')
  await house.call('DELETE', `/api/v1/ghmdinvalidator?id=${body.id}`)
})
