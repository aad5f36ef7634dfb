import type { Page } from '@playwright/test'
import { cellOf, expect, test } from '../support/page/kit.ts'

test.use({ visitor: 'ada', timezoneId: 'America/New_York' })

const now = Date.UTC(2026, 6, 15, 16, 0, 0)
const cell = (page: Page, id: string) =>
  cellOf(page.getByRole('row').filter({ hasText: id }), 'Created Timestamp').locator('[title]')

test('In a browser in New York', async ({ page, house, holds }) => {
  const id = await house.entry('/times')
  const at: Record<string, number> = {
    morning: Date.UTC(2026, 6, 15, 13, 4, 5),
    midnight: Date.UTC(2026, 6, 15, 4, 0, 0),
    noon: Date.UTC(2026, 0, 31, 17, 0, 0),
    seconds: Date.UTC(2026, 6, 15, 15, 55, 0) / 1_000,
  }
  await page.clock.install({ time: now })
  await page.route(/keepalive\/list/, async (route) => {
    const answer = await route.fetch()
    const [entry] = ((await answer.json()) as { rows: object[] }).rows
    const rows = Object.entries(at).map(([name, createdAt]) => ({ ...entry, id: name, createdAt }))
    await route.fulfill({ json: { rows, total: rows.length } })
  })
  await page.goto('/tools/keepalive/viewlist')

  await holds('An instant reads dd/MM/yyyy hh:mm:ss a, in the time zone of the browser.', async () => {
    await expect(cell(page, 'morning')).toHaveText('15/07/2026 09:04:05 AM')
    await expect(cell(page, 'noon')).toHaveText('31/01/2026 12:00:00 PM')
    await expect(cell(page, 'midnight')).toHaveText('15/07/2026 12:00:00 AM')
  })
  await holds('A number of ten digits counts as seconds.', async () => {
    await expect(cell(page, 'seconds')).toHaveText('15/07/2026 11:55:00 AM')
  })
  await holds('How long ago that was, and the time zone, is a tooltip.', async () => {
    await expect(cell(page, 'morning')).toHaveAttribute('title', '3 hours ago · America/New_York (UTC-4)')
    await expect(cell(page, 'seconds')).toHaveAttribute('title', '5 minutes ago · America/New_York (UTC-4)')
    await expect(cell(page, 'midnight')).toHaveAttribute('title', '12 hours ago · America/New_York (UTC-4)')
  })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await house.remove(id)
})

test('By a wrong clock @release', async ({ page, house, holds }) => {
  const id = await house.entry('/by-a-wrong-clock')
  await page.addInitScript('{ const { now } = Date; Date.now = () => now() + 3 * 3_600_000 }')
  await page.goto('/tools/keepalive/viewlist')
  await holds("Where the browser's clock is wrong, ages go by the server's.", async () => {
    await expect(cell(page, '/by-a-wrong-clock')).toHaveAttribute('title', /^(just now|\d+ seconds? ago)/)
  })
  await house.remove(id)
})
