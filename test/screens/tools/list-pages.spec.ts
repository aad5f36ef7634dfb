import type { Locator, Page } from '@playwright/test'
import { createFailingEntry, recover, entryRows as rows, urlToolColumns } from '../../support/page/entry-tools.ts'
import { changeDatabase } from '../../support/page/instance.ts'
import { cellOf, expect, test } from '../../support/page/kit.ts'
import { list, listCall, paramsOf, seedEntries } from '../../support/page/long-list.ts'

test.use({ signedInAs: 'ada' })

const [bars, actions] = ['Last 30 runs', 'Actions']
const dataColumns = urlToolColumns.filter((title) => title !== bars && title !== actions)
const names = Array.from({ length: 23 }, (_, index) => `/site-${index + 1}`)
const paths = async (page: Page) =>
  (await cellOf(rows(page), 'URL').allInnerTexts()).map((text) => new URL(text.trim()).pathname)
const pager = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const step = (page: Page, text: string) => pager(page).getByText(text, { exact: true })
const search = (page: Page, column: string) => page.getByLabel(`Search ${column}`)
const size = (page: Page) => page.getByRole('combobox', { name: 'Rows per page' })
const storage = (page: Page) => page.evaluate('JSON.stringify(localStorage)')

async function drag(page: Page, grip: Locator, by: number) {
  await grip.scrollIntoViewIfNeeded()
  const box = await grip.boundingBox()
  if (!box) throw new Error('The grip is not on screen')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + by, y, { steps: 4 })
  await page.mouse.up()
}

const now = Date.UTC(2026, 6, 15, 16, 0, 0)
const cell = (page: Page, id: string) =>
  cellOf(page.getByRole('row').filter({ hasText: id }), 'Created Timestamp').locator('[title]')
const modify = '/tools/keepalive/modify'

test.describe('23 entries', () => {
  test.use({ signedInAs: 'ada', viewport: { width: 1400, height: 900 } })

  test.beforeEach(async ({ instance, page }) => {
    const existing = await instance.entries()
    if (existing.length !== names.length) {
      for (const { id } of existing) await instance.remove(id)
      for (const name of names) await instance.entry(name)
      instance.keepCreated()
    }
    await page.goto(list)
    await expect(rows(page)).toHaveCount(10)
  })

  test.afterAll(async ({ instance }) => {
    for (const { id } of await instance.entries()) await instance.remove(id)
  })

  test('Pages', async ({ page, holds }) => {
    await holds("The pager reads First, <, 'N of M', >, Last.", async () => {
      await expect(pager(page).getByRole('button')).toHaveText(['First', '<', '>', 'Last'])
      await expect(step(page, '1 of 3')).toBeVisible()
      const xs = await Promise.all(
        ['First', '<', '1 of 3', '>', 'Last'].map(async (text) => (await step(page, text).boundingBox())?.x ?? 0),
      )
      expect(xs).toEqual(xs.toSorted((a, b) => a - b))
    })
    await holds('Each button opens its page; buttons without a target are disabled.', async () => {
      await expect(step(page, 'First')).toBeDisabled()
      await expect(step(page, '<')).toBeDisabled()
      await step(page, '>').click()
      await expect(step(page, '2 of 3')).toBeVisible()
      await step(page, 'Last').click()
      await expect(step(page, '3 of 3')).toBeVisible()
      await expect(rows(page)).toHaveCount(3)
      await expect(step(page, '>')).toBeDisabled()
      await expect(step(page, 'Last')).toBeDisabled()
      await step(page, '<').click()
      await expect(step(page, '2 of 3')).toBeVisible()
      await step(page, 'First').click()
      await expect(step(page, '1 of 3')).toBeVisible()
    })
    await holds('The buttons work by keyboard, too.', async () => {
      await step(page, '>').press('Enter')
      await expect(step(page, '2 of 3')).toBeVisible()
      await step(page, 'First').press('Space')
      await expect(step(page, '1 of 3')).toBeVisible()
    })
    await holds('A page shows 10, 20, 30, 40 or 50 rows, 10 by default.', async () => {
      await expect(size(page).getByRole('option')).toHaveText(['10', '20', '30', '40', '50'])
      await expect(size(page)).toHaveValue('10')
      for (const [choice, rowCount, place] of [
        ['20', 20, '1 of 2'],
        ['30', 23, '1 of 1'],
        ['40', 23, '1 of 1'],
        ['50', 23, '1 of 1'],
      ] as const) {
        await size(page).selectOption(choice)
        await expect(rows(page)).toHaveCount(rowCount)
        await expect(step(page, place)).toBeVisible()
      }
    })
    await holds('The browser remembers the page size, for other lists too.', async () => {
      expect(await storage(page)).toContain('"50"')
      await page.goto('/admin/users')
      await expect(size(page)).toHaveValue('50')
    })
  })

  test('Search', async ({ page, holds }) => {
    await holds('All columns but Last 30 runs and Actions have a search, which waits 500 ms.', async () => {
      for (const column of dataColumns) await expect(search(page, column)).toBeVisible()
      for (const column of [bars, actions]) await expect(search(page, column)).toHaveCount(0)
      await page.clock.install()
      await page.reload()
      await expect(rows(page)).toHaveCount(10)
      await page.clock.pauseAt(Date.now() + 60_000)
      await search(page, 'URL').pressSequentially('SITE-1')
      await page.clock.runFor(400)
      await search(page, 'URL').press('1')
      await page.clock.runFor(499)
      await expect(page).toHaveURL(list)
      await page.clock.runFor(1)
      await expect(page).toHaveURL(`${list}?url=SITE-11`)
      await page.clock.resume()
      await expect(rows(page)).toHaveCount(1)
    })
    await holds('A search without results shows a message.', async () => {
      await search(page, 'URL').fill('nothing like it')
      await expect(page.getByText('No rows match your search.')).toBeVisible()
    })
    await holds('The URL contains search, order and page, so a reload keeps them.', async () => {
      await search(page, 'URL').fill('site-1')
      await expect(pager(page)).toContainText(/^11 rows/)
      await page.getByRole('columnheader', { name: 'URL' }).getByRole('button', { name: 'URL' }).click()
      await step(page, '>').click()
      await expect.poll(() => paths(page)).toEqual(['/site-19'])
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ url: 'site-1', sort: 'url', page: '2' })
      await page.reload()
      await expect(search(page, 'URL')).toHaveValue('site-1')
      await expect.poll(() => paths(page)).toEqual(['/site-19'])
    })
    await holds('Going back from another screen keeps them, too.', async () => {
      await rows(page).getByRole('link', { name: 'Edit' }).click()
      await expect(page).toHaveURL(/\/modify\?id=/)
      await page.goBack()
      await expect.poll(() => paths(page)).toEqual(['/site-19'])
      await expect(search(page, 'URL')).toHaveValue('site-1')
    })
  })

  test('Columns @release', async ({ page, instance, holds }) => {
    const head = page.getByRole('columnheader', { name: 'URL' })
    const sort = head.getByRole('button', { name: 'URL' })
    const before = await paths(page)
    await holds('A header sorts ascending, descending, then not at all; numbers sort numerically.', async () => {
      await sort.click()
      await expect(head).toHaveAttribute('aria-sort', 'ascending')
      expect(await paths(page)).toEqual(names.slice(0, 10))
      await sort.click()
      await expect(head).toHaveAttribute('aria-sort', 'descending')
      expect(await paths(page)).toEqual(names.toReversed().slice(0, 10))
      await sort.click()
      await expect(head).toHaveAttribute('aria-sort', 'none')
      expect(await paths(page)).toEqual(before)
    })
    await holds('A header sorts by keyboard, too.', async () => {
      await sort.press('Enter')
      await expect(head).toHaveAttribute('aria-sort', 'ascending')
    })

    const grip = page.getByRole('separator', { name: 'Width of Status' })
    const headOf = (column: string) =>
      page.getByRole('columnheader').filter({ has: page.getByRole('button', { name: column, exact: true }) })
    const widthOf = async (column: string) => (await headOf(column).boundingBox())?.width
    const specified = ['ID', 'URL', 'Status', 'Owner', 'Created Timestamp']
    await holds('With enough room, each specified column is 200 px wide by default.', async () => {
      await page.setViewportSize({ width: 1920, height: 900 })
      for (const column of specified) await expect.poll(() => widthOf(column), column).toBe(200)
    })
    await holds('With less room, columns shrink, ID first, before the table scrolls sideways.', async () => {
      await page.setViewportSize({ width: 1280, height: 800 })
      await expect.poll(() => widthOf('ID')).toBe(100)
      for (const column of specified) expect(await widthOf(column), column).toBeGreaterThanOrEqual(100)
      const scrolled = page.getByRole('region', { name: 'Keep Alive entries' })
      expect(await scrolled.evaluate((place) => place.scrollWidth - place.clientWidth)).toBe(0)
      const narrow = (await widthOf('URL')) ?? 0
      await page.setViewportSize({ width: 1400, height: 900 })
      // Wait for the new layout: it moves the edges to drag.
      await expect.poll(() => widthOf('URL')).toBeGreaterThan(narrow)
    })
    await holds('Dragging an edge resizes a column between 100 and 500 px.', async () => {
      await drag(page, grip, 400)
      await expect(grip).toHaveAttribute('aria-valuenow', '500')
      expect(await widthOf('Status')).toBe(500)
      await drag(page, grip, -600)
      await expect(grip).toHaveAttribute('aria-valuenow', '100')
      expect(await widthOf('Status')).toBe(100)
    })
    await holds('The browser remembers the width; a double click on the edge restores 200 px.', async () => {
      expect(await storage(page)).toContain('status')
      await page.reload()
      await expect(grip).toHaveAttribute('aria-valuenow', '100')
      await grip.dblclick()
      await expect(grip).toHaveAttribute('aria-valuenow', '200')
    })
    await holds('The arrow keys move the edge within the same limits.', async () => {
      for (let presses = 0; presses < 7; presses++) await grip.press('ArrowLeft')
      await expect(grip).toHaveAttribute('aria-valuenow', '100')
      await grip.press('ArrowRight')
      await expect(grip).toHaveAttribute('aria-valuenow', '120')
    })
    await holds('A cell is cut at 300 px in any column, with the full text in a tooltip.', async () => {
      const long = `/${'long'.repeat(60)}`
      const id = await instance.entry(long)
      await search(page, 'ID').fill(id)
      await expect(rows(page)).toHaveCount(1)
      const cell = cellOf(rows(page), 'URL').locator('> span')
      await expect(cell).toHaveAttribute('title', instance.target.url(long))
      const url = page.getByRole('separator', { name: 'Width of URL' })
      for (let presses = 0; presses < 20; presses++) await url.press('ArrowRight')
      await expect(url).toHaveAttribute('aria-valuenow', '500')
      expect((await cell.boundingBox())?.width).toBe(300)
      await expect(cell).toHaveCSS('text-overflow', 'ellipsis')
      await instance.remove(id)
    })
  })
})

test.describe('times', () => {
  test.use({ signedInAs: 'ada', timezoneId: 'America/New_York' })

  test('In a browser in New York', async ({ page, instance, holds }) => {
    await instance.entry('/times')
    const at: Record<string, number> = {
      morning: Date.UTC(2026, 6, 15, 13, 4, 5),
      midnight: Date.UTC(2026, 6, 15, 4, 0, 0),
      noon: Date.UTC(2026, 0, 31, 17, 0, 0),
      seconds: Date.UTC(2026, 6, 15, 15, 55, 25) / 1_000,
    }
    await page.clock.install({ time: now })
    await page.route(/keepalive\/list/, async (route) => {
      const answer = await route.fetch()
      const [entry] = ((await answer.json()) as { rows: object[] }).rows
      const rows = Object.entries(at).map(([name, createdAt]) => ({ ...entry, id: name, createdAt }))
      await route.fulfill({ json: { rows, total: rows.length } })
    })
    await page.goto('/tools/keepalive/viewlist')

    await holds('A time reads dd/MM/yyyy hh:mm:ss a in the time zone of the browser.', async () => {
      await expect(cell(page, 'morning')).toHaveText('15/07/2026 09:04:05 AM')
      await expect(cell(page, 'noon')).toHaveText('31/01/2026 12:00:00 PM')
      await expect(cell(page, 'midnight')).toHaveText('15/07/2026 12:00:00 AM')
    })
    await holds('A ten-digit timestamp is read as seconds.', async () => {
      await expect(cell(page, 'seconds')).toHaveText('15/07/2026 11:55:25 AM')
    })
    await holds('A tooltip shows the age and the time zone.', async () => {
      await expect(cell(page, 'morning')).toHaveAttribute('title', '3 hours ago · America/New_York (UTC-4)')
      await expect(cell(page, 'seconds')).toHaveAttribute('title', '5 minutes ago · America/New_York (UTC-4)')
      await expect(cell(page, 'midnight')).toHaveAttribute('title', '12 hours ago · America/New_York (UTC-4)')
    })
  })

  test('With a wrong clock @release', async ({ page, instance, holds }) => {
    await instance.entry('/by-a-wrong-clock')
    await page.addInitScript('{ const { now } = Date; Date.now = () => now() + 3 * 3_600_000 }')
    await page.goto('/tools/keepalive/viewlist')
    await holds("If the browser's clock is wrong, ages follow the server's.", async () => {
      await expect(cell(page, '/by-a-wrong-clock')).toHaveAttribute('title', /^(just now|\d+ (?:second|minute)s? ago)/)
    })
  })
})

test.describe('health', () => {
  test.use({ signedInAs: 'ada', viewport: { width: 1400, height: 900 } })

  test('a row shows that its entry is failing, and a URL lists only failing entries', async ({ page, instance }) => {
    const bad = await createFailingEntry(instance, 'Billing API')
    const fine = await instance.entry('/fine')
    await expect.poll(() => instance.target.visits('/fine')).toBe(1)
    await page.goto(list)
    const [row, other] = [rows(page).filter({ hasText: 'Billing API' }), rows(page).filter({ hasText: fine })]
    await expect(cellOf(row, 'Status')).toHaveText('Active')
    await expect(cellOf(row, 'Name')).toHaveText(/^Billing APIFailing for \d+ \w+ · answered 503$/)
    await expect(cellOf(row, 'Name').getByTitle('answered 503', { exact: true })).toBeVisible()
    await expect(rows(page).first()).toContainText('Billing API')
    await expect(cellOf(row, 'Last Run')).toHaveText(/^\d\d\/\d\d\/\d{4} /)
    const bars = cellOf(row, 'Last 30 runs').getByRole('img', { name: 'The last run failed' })
    await bars.hover({ position: { x: 1, y: 8 } })
    await expect(bars.locator('..')).toHaveAttribute('title', /^FAIL · \d\d\/\d\d\/\d{4}/)
    await expect(cellOf(other, 'Status')).toHaveText('Active')
    const about = instance.target.url('/fine').replace('http://', '')
    await expect(cellOf(other, 'Name').getByRole('link', { name: about })).toHaveAttribute(
      'href',
      `${modify}?id=${fine}`,
    )
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
    await recover(instance, bad)
    await expect(page.getByText('No rows match your search.')).toBeVisible()
    await chips.first().click()
    await expect(page).toHaveURL(list)
    await expect(other).toBeVisible()
    await expect(cellOf(row, 'Name')).toContainText('Up')
  })

  test('the server filters a long list by failing entries and keeps it live @release', async ({ page, instance }) => {
    const { body: users } = await instance.call<{ id: string; email: string }[]>('GET', '/api/v1/admin/users')
    const ada = users.find(({ email }) => email === 'ada@example.com')!
    const ids = await seedEntries(instance, ada, 201)
    const bad = await createFailingEntry(instance, 'Billing API')
    const listRequest = page.waitForRequest(
      (request) => listCall.test(request.url()) && request.url().includes('health='),
    )
    await page.clock.install()
    await page.goto(`${list}?health=failing`)
    expect(paramsOf(await listRequest)).toMatchObject({ health: 'failing', page: '1' })
    await expect(rows(page)).toHaveText([/Billing API.*Failing for/])
    await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText(/^1 row/)
    await recover(instance, bad)
    await expect(page.getByText('No rows match your search.')).toBeVisible()
    await createFailingEntry(instance, 'Mailer')
    // The list reloads at most every two seconds.
    await page.clock.runFor(2_000)
    await expect(rows(page)).toHaveText([/Mailer.*Failing for/])
    await changeDatabase(instance, (db) => db.q.deleteFrom('entry').where('id', 'in', ids).execute())
  })
})
