import type { Page } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import type { Instance } from '../../support/page/instance.ts'
import { expect, goLive, test, toasts } from '../../support/page/kit.ts'

test.use({ makesAnnouncements: true, signedInAs: 'ada' })

const screen = '/admin/notifications'
const message = (page: Page) => page.getByLabel('Message')
const send = (page: Page) => page.getByRole('button', { name: 'Send' })
const recent = (page: Page) => page.getByRole('region', { name: 'Recent announcements' })
const preview = (page: Page) => page.getByRole('region', { name: 'Announcement', exact: true })
const announce = (instance: Instance, message: string, type = 'info') =>
  instance.call('POST', '/api/v1/admin/notifications', { type, message })

/** Loads Home, and expects only an announcement made then, before which any others would arrive. */
async function expectOnlyNext(page: Page, instance: Instance) {
  await goLive(page, '/')
  await announce(instance, 'The next one.')
  await expect(toasts(page, 'info', 'The next one.')).toBeVisible()
  await expect(toasts(page)).toHaveCount(1)
}

test('an announcement appears on every signed-in screen, with time and author', async ({
  page,
  instance,
  openBrowserAs,
}) => {
  const other = await openBrowserAs('grace')
  await goLive(other, '/')
  await goLive(page, screen)
  await expect(page).toHaveTitle('ToolBox - Announcements')
  await page.getByText('Warning', { exact: true }).click()
  await message(page).fill('Maintenance at noon.\nFive minutes.')
  await expect(preview(page)).toContainText('Server NotificationMaintenance at noon.')
  await send(page).click()
  for (const one of [page, other]) {
    const toast = toasts(one, 'warning', 'Maintenance at noon.')
    await expect(toast).toContainText('Server Notification')
    await expect(toast).toContainText(/Issued at \d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M/)
    await expect(toast).toContainText('By ada')
  }
  await expect(message(page)).toHaveValue('')
  await expect(recent(page).getByRole('listitem').first()).toContainText('Maintenance at noon.')
  await expectOnlyNext(other, instance)
})

test('a user who was away sees an announcement once, at the next visit @release', async ({
  instance,
  openBrowserAs,
}) => {
  await instance.createTestUser('mallory')
  await announce(instance, 'You missed it.')
  const page = await openBrowserAs('mallory')
  await page.goto('/')
  await expect(toasts(page, 'info', 'You missed it.')).toContainText('By ada')
  await expectOnlyNext(page, instance)
})

test('a screen reconnects a refused event stream and misses nothing @release', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 502/)
  const stream = '**/api/v1/events*'
  const requestedPaths: string[] = []
  page.on('request', (request) => void requestedPaths.push(new URL(request.url()).pathname))
  const count = (path: string) => requestedPaths.filter((one) => one === path).length
  await page.clock.install()
  await page.route(stream, (route) => route.fulfill({ status: 502 }))
  await page.goto('/')
  // A refused stream may mean that the session has ended, so the page checks it immediately.
  await expect.poll(() => count('/api/v1/auth/session')).toBeGreaterThanOrEqual(2)
  await page.unroute(stream)
  const attempts = count('/api/v1/events')
  await announce(instance, 'Back again.')
  // While the clock stands still, the toast stays.
  await page.clock.pauseAt(Date.now() + 10_000)
  await expect(toasts(page, 'info', 'Back again.')).toBeVisible()
  expect(count('/api/v1/events')).toBe(attempts + 1)
})

test('the newest announcement comes first, on an accessible page @release', async ({ page, instance }) => {
  await announce(instance, 'The older one', 'success')
  await announce(instance, 'wide'.repeat(100), 'danger')
  await page.goto(screen)
  await expect(toasts(page, 'danger', 'wide')).toBeVisible()
  await expect(recent(page).getByRole('listitem').nth(0)).toContainText('wide')
  await expect(recent(page).getByRole('listitem').nth(1)).toContainText('The older one')
  expect(await accessibilityViolations(page)).toEqual([])
  await expectFitsPhone(page, screen)
})

test('an empty or too long message is reported and never sent @release', async ({ page }) => {
  await page.clock.install({ time: new Date(2026, 10, 21, 15, 4, 5) })
  await page.route('**/api/v1/admin/notifications', (route) => route.fulfill({ json: [] }))
  await goLive(page, screen)
  await expect(page.getByRole('button', { name: 'Fill in an example' })).toBeVisible()
  await send(page).hover()
  await expect(toasts(page, 'warning', 'Missing fields:')).toContainText('Message')
  await message(page).fill('x'.repeat(499))
  await expect(page.getByText('499 of 500 characters')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Fill in an example' })).toHaveCount(0)
  await message(page).fill('x'.repeat(501))
  await expect(message(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByText('501 characters: 1 too many.')).toBeVisible()
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST') sent += 1
  })
  await page.keyboard.press('Control+s')
  await send(page).click()
  await expect(message(page)).toHaveValue('x'.repeat(501))
  expect(sent).toBe(0)

  await test.step('the preview shows the current time as its time of issue', async () => {
    await expect(preview(page)).toContainText(/Issued at 21\/11\/2026 03:0\d:/)
    await page.clock.fastForward('10:00')
    await expect(preview(page)).toContainText(/Issued at 21\/11\/2026 03:1\d:/)
  })

  await test.step('leaving a half-written announcement asks first', async () => {
    await message(page).fill('Half a sen')
    // The dialog opens only after a response. The assertions below would pass before that, so wait for it.
    const leavePrompt = page.waitForEvent('dialog')
    const pressed = page.getByRole('link', { name: 'Audit Log' }).click()
    await (await leavePrompt).dismiss()
    await pressed
    await expect(page).toHaveURL(screen)
    await expect(message(page)).toHaveValue('Half a sen')
    await message(page).fill('')
  })
})
