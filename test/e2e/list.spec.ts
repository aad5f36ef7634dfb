import type { Page } from '@playwright/test'
import type { House } from './house.ts'
import { expect, test, toasts } from './kit.ts'

test.use({ visitor: 'ada', viewport: { width: 1400, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] })

const list = '/tools/keepalive/viewlist'
const names = Array.from({ length: 23 }, (_, index) => `/site-${index + 1}`)
const sleeping = ['/site-3', '/site-10']

async function fill(house: House) {
  const there = await house.entries()
  if (there.length === names.length) return
  for (const { id } of there) await house.remove(id)
  for (const name of names) await house.entry(name, { status: !sleeping.includes(name) })
}

test.beforeEach(async ({ house, page }) => {
  await fill(house)
  await page.goto(list)
  await expect(rows(page)).toHaveCount(10)
})

const rows = (page: Page) => page.locator('tbody tr').filter({ has: page.getByRole('link', { name: 'Edit' }) })
const paths = async (page: Page) =>
  (await rows(page).locator('td:nth-child(2)').allInnerTexts()).map((text) => new URL(text.trim()).pathname)
const steps = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const step = (page: Page, text: string) => steps(page).getByText(text, { exact: true })

test('the pager reads First < N of M > Last and goes there', async ({ page }) => {
  await expect(page).toHaveTitle('ToolBox - Keep Alive List')
  await expect(steps(page).getByRole('button')).toHaveText(['First', '<', '>', 'Last'])
  await expect(step(page, '1 of 3')).toBeVisible()
  await expect(step(page, 'First')).toBeDisabled()
  await step(page, '>').click()
  await expect(step(page, '2 of 3')).toBeVisible()
  await step(page, 'Last').click()
  await expect(step(page, '3 of 3')).toBeVisible()
  await expect(rows(page)).toHaveCount(3)
  await expect(step(page, '>')).toBeDisabled()
  await step(page, '<').click()
  await expect(step(page, '2 of 3')).toBeVisible()
  await step(page, 'First').click()
  await expect(step(page, '1 of 3')).toBeVisible()
})

test('a page holds 10, 20, 30, 40 or 50 rows', async ({ page }) => {
  const size = page.getByRole('combobox', { name: 'Rows per page' })
  await expect(size.getByRole('option')).toHaveText(['10', '20', '30', '40', '50'])
  await expect(size).toHaveValue('10')
  await size.selectOption('20')
  await expect(rows(page)).toHaveCount(20)
  await expect(step(page, '1 of 2')).toBeVisible()
  await size.selectOption('50')
  await expect(rows(page)).toHaveCount(23)
  await expect(step(page, '1 of 1')).toBeVisible()
})

test('a search waits half a second after the last key', async ({ page }) => {
  await page.clock.install()
  await page.goto(list)
  await expect(rows(page)).toHaveCount(10)
  await page.clock.pauseAt(Date.now() + 60_000)
  const search = page.getByLabel('Search URL')
  await search.pressSequentially('SITE-1')
  await page.clock.runFor(400)
  await search.press('1')
  await page.clock.runFor(450)
  await expect(page).toHaveURL(list)
  await page.clock.runFor(100)
  await expect(page).toHaveURL(`${list}?url=SITE-11`)
  await page.clock.resume()
  await expect(rows(page)).toHaveCount(1)
})

test('the status is searched as it reads, whatever the case, but as a whole word', async ({ page }) => {
  const search = page.getByLabel('Search Status')
  await search.fill('inactive')
  await expect(rows(page)).toHaveCount(2)
  expect((await paths(page)).sort()).toEqual([...sleeping].sort())
  await search.fill('Active')
  await expect(step(page, '1 of 3')).toBeVisible()
  await expect(steps(page)).toContainText('21 rows')
  await search.fill('Activ')
  await expect(page.getByText('No row matches the search.')).toBeVisible()
})

test('an id is found only when it is whole', async ({ page }) => {
  const id = await rows(page).first().locator('td').first().innerText()
  const search = page.getByLabel('Search ID')
  await search.fill(id.slice(0, 8))
  await expect(page.getByText('No row matches the search.')).toBeVisible()
  await search.fill(id)
  await expect(rows(page)).toHaveCount(1)
})

test('owner and created timestamp are searched fuzzily', async ({ page }) => {
  await page.getByLabel('Search Owner').fill('adexmpl')
  await expect(page).toHaveURL(/owner=adexmpl/)
  await expect(steps(page)).toContainText('23 rows')
  await page.getByLabel('Search Created Timestamp').fill('31/02/1999')
  await expect(page.getByText('No row matches the search.')).toBeVisible()
})

test('a head sorts up, then down, then not, with numbers in their order', async ({ page }) => {
  const head = page.getByRole('columnheader', { name: 'URL' })
  const before = await paths(page)
  await head.getByRole('button', { name: 'URL' }).click()
  await expect(head).toHaveAttribute('aria-sort', 'ascending')
  expect(await paths(page)).toEqual(names.slice(0, 10))
  await head.getByRole('button', { name: 'URL' }).click()
  await expect(head).toHaveAttribute('aria-sort', 'descending')
  expect(await paths(page)).toEqual(names.toReversed().slice(0, 10))
  await head.getByRole('button', { name: 'URL' }).click()
  await expect(head).toHaveAttribute('aria-sort', 'none')
  expect(await paths(page)).toEqual(before)
})

test('filters, order and page live in the address: reload and back keep them', async ({ page }) => {
  await page.getByLabel('Search URL').fill('site-1')
  await expect(steps(page)).toContainText('11 rows')
  await page.getByRole('columnheader', { name: 'URL' }).getByRole('button', { name: 'URL' }).click()
  await step(page, '>').click()
  await expect.poll(() => paths(page)).toEqual(['/site-19'])
  await page.reload()
  await expect(page.getByLabel('Search URL')).toHaveValue('site-1')
  await expect.poll(() => paths(page)).toEqual(['/site-19'])
  await rows(page).getByRole('link', { name: 'Edit' }).click()
  await expect(page).toHaveURL(/\/modify\?id=/)
  await page.goBack()
  await expect.poll(() => paths(page)).toEqual(['/site-19'])
  await expect(page.getByLabel('Search URL')).toHaveValue('site-1')
})

test('a row gives its id to the clipboard and leads to its form', async ({ page }) => {
  const row = rows(page).first()
  const id = await row.locator('td').first().innerText()
  await row.getByRole('button', { name: 'Copy ID' }).click()
  await expect(toasts(page, 'info')).toContainText(id)
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id)
  await row.getByRole('link', { name: 'Edit' }).click()
  await expect(page).toHaveURL(`/tools/keepalive/modify?id=${id}`)
  await expect(page.getByLabel('ID', { exact: true })).toHaveValue(id)
})

test('a column is 200 px wide, never under 100 nor over 500, and stays as it was left', async ({ page }) => {
  const grip = page.getByRole('separator', { name: 'Width of Owner' })
  const widths = () => page.locator('colgroup col').evaluateAll((cols) => cols.map((col) => col.style.width))
  expect((await widths()).slice(0, 5)).toEqual(Array(5).fill('200px'))
  const drag = async (by: number) => {
    const box = await grip.boundingBox()
    if (!box) throw new Error('The grip is not on screen')
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + by, y, { steps: 4 })
    await page.mouse.up()
  }
  await drag(400)
  await expect(grip).toHaveAttribute('aria-valuenow', '500')
  await drag(-600)
  await expect(grip).toHaveAttribute('aria-valuenow', '100')
  expect((await widths())[3]).toBe('100px')
  await page.reload()
  await expect(grip).toHaveAttribute('aria-valuenow', '100')
  await grip.dblclick()
  await expect(grip).toHaveAttribute('aria-valuenow', '200')
})

test('times read dd/MM/yyyy hh:mm:ss a, with how long ago as a tooltip', async ({ page }) => {
  const cell = rows(page).first().locator('td:nth-child(5) span')
  await expect(cell).toHaveText(/^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M$/)
  await expect(cell).toHaveAttribute('title', /ago$|^just now$/)
})

test('a cell is cut at 300 px and tells all of itself at rest', async ({ page, house }) => {
  const long = `/${'long'.repeat(60)}`
  const id = await house.entry(long)
  await page.goto(`${list}?id=${id}`)
  const cell = rows(page).locator('td:nth-child(2) > span')
  await expect(cell).toHaveAttribute('title', house.target.url(long))
  const grip = page.getByRole('separator', { name: 'Width of URL' })
  for (let presses = 0; presses < 15; presses++) await grip.press('ArrowRight')
  await expect(grip).toHaveAttribute('aria-valuenow', '500')
  expect((await cell.boundingBox())?.width).toBe(300)
  await house.remove(id)
})
