import type { Page } from '@playwright/test'
import { change, dismiss, person, rowOf, rows, search } from '../../support/page/admin.ts'
import { barriers, fitsPhone } from '../../support/page/barriers.ts'
import { expect, test, turn } from '../../support/page/kit.ts'

test.use({ visitor: 'ada' })

const cells = (page: Page, text: string) => rowOf(page, text).first().getByRole('cell')

test('the audit log tells who did what to whom, what changed in words, and from where', async ({ page, house }) => {
  const alma = await person(house, 'alma')
  await change(house, alma.id, { roles: { Tools: 1 }, status: 1 })
  await dismiss(house, alma)
  await page.goto('/admin/audit')
  await expect(page).toHaveTitle('ToolBox - Audit Log')
  await expect(page.getByRole('columnheader')).toHaveText(['When', 'Who', 'What', 'Whom', 'Changes', 'From'])
  await search(page, 'Whom').fill('alma')
  await expect(rows(page)).toHaveCount(3)
  for (const [index, what] of ['Deleted user', 'Edited user', 'Created user'].entries())
    await expect(rows(page).nth(index).getByRole('cell').nth(2)).toHaveText(what)
  await expect(cells(page, 'Edited user')).toHaveText([
    /[AP]M$/,
    'ada@example.com',
    'Edited user',
    'alma@example.com',
    'Status: Active → Inactive; Tools: No Access → Full Access',
    /127\.0\.0\.1|::1/,
  ])
})

test('it shows all of a long change to whoever presses it', async ({ page, house }) => {
  const alba = await person(house, 'alba')
  await page.goto('/admin/audit')
  await search(page, 'Whom').fill('alba')
  await expect(rows(page)).toHaveCount(1)
  const change = rows(page).getByRole('button', { name: 'Name: alba' })
  const before = await change.boundingBox()
  await change.click()
  await expect(change).toHaveAttribute('aria-expanded', 'true')
  await expect.poll(async () => (await change.boundingBox())?.height).toBeGreaterThan((before?.height ?? 0) * 2)
  await dismiss(house, alba)
})

test('it brings older entries when asked, until there are none', async ({ page, house }) => {
  test.slow()
  const ottilie = await person(house, 'ottilie')
  for (let round = 0; round < 201; round++) await change(house, ottilie.id, { name: `ottilie ${round}` })
  await page.goto('/admin/audit?whom=ottilie')
  const older = page.getByRole('button', { name: 'Load older entries' })
  await expect(page.getByText('200 rows')).toBeVisible()
  await expect(rowOf(page, 'Created user')).toHaveCount(0)
  await older.click()
  await expect(page.getByText('202 rows')).toBeVisible()
  // Other tests of this house have left entries as well.
  await expect(async () => {
    if (await older.isVisible()) await older.click()
    expect(await older.count()).toBe(0)
  }).toPass()
  await page.getByRole('button', { name: 'Last' }).click()
  await expect(rowOf(page, 'Created user')).toHaveCount(1)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).search))
  // The second time shows what followed from the first.
  for (const _ of [1, 2]) {
    await turn(page, 'hidden')
    const again = page.waitForResponse('**/api/v1/admin/audit')
    await turn(page, 'visible')
    await again
  }
  expect(asked.filter((query) => query.includes('before'))).toEqual([])
  await dismiss(house, ottilie)
})

test('the log has no barrier, nor scrolls sideways on a phone', async ({ page }) => {
  await page.goto('/admin/audit')
  await expect(rowOf(page, 'ada@example.com').first()).toBeVisible()
  expect(await barriers(page)).toEqual([])
  await fitsPhone(page, '/admin/audit')
})

test('the columns of the log are as wide as the page, so that nothing hides beside it', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/admin/audit')
  await expect(page.getByRole('columnheader', { name: 'From' })).toBeVisible()
  const hidden = () => page.getByRole('region', { name: 'Audit log' }).evaluate((at) => at.scrollWidth - at.clientWidth)
  await expect.poll(hidden).toBe(0)
})
