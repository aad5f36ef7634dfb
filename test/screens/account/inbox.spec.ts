import type { Page } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import { delayRequests, expect, goLive, navigate, test, toasts } from '../../support/page/kit.ts'

test.use({ makesAnnouncements: true, signedInAs: 'ada' })

const bell = (page: Page) => page.getByRole('button', { name: /^Inbox/ })
const inbox = (page: Page) => page.getByRole('dialog', { name: 'Inbox' })
const rows = (page: Page) => inbox(page).getByRole('listitem')

test('the bell counts unread items until the inbox shows them in any tab', async ({ page, instance, context }) => {
  // Clear items that other tests have left.
  await instance.call('POST', '/api/v1/user/inbox/read', { until: Date.now() })
  const other = await context.newPage()
  await goLive(other, '/user')
  await goLive(page, '/')
  const say = (message: string) => instance.call('POST', '/api/v1/admin/notifications', { type: 'info', message })
  await bell(page).click()
  await expect(inbox(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(bell(page)).toBeFocused()
  await expect(bell(page)).toHaveAttribute('aria-expanded', 'false')
  await expect(bell(other)).toHaveAccessibleName('Inbox')
  await bell(page).click()
  await expect(inbox(page).getByRole('region', { name: 'Items' })).toBeVisible()
  await bell(page).focus()
  await expect(bell(page)).toBeFocused()
  await expect(inbox(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(inbox(page)).toHaveCount(0)

  await say('Maintenance at noon.')
  await say('Back again.')
  for (const one of [page, other]) await expect(bell(one)).toHaveAccessibleName('Inbox, 2 unread')
  // The tab in the background keeps its unread count until the items have been shown.
  const show = await delayRequests(page, '**/api/v1/user/inbox/read')
  await bell(page).press('Enter')
  // Around midnight, items may be from yesterday.
  const days = inbox(page).getByRole('heading', { name: /^(Today|Yesterday)$/ })
  await expect(days.first()).toBeVisible()
  await expect(rows(page).nth(0)).toContainText('Back again.')
  await expect(rows(page).nth(1)).toContainText('Maintenance at noon.')
  await expect(bell(other)).toHaveAccessibleName('Inbox, 2 unread')
  show()
  for (const one of [page, other]) await expect(bell(one)).toHaveAccessibleName('Inbox')
  // Unread items stay marked while the inbox is open.
  await expect(rows(page).nth(0)).toContainText('Unread')
  expect(await accessibilityViolations(page)).toEqual([])
  await inbox(page).getByRole('button', { name: 'Mark all as read' }).click()
  await expect(inbox(page).getByText('Unread')).toHaveCount(0)
  await bell(page).click()
  await expect(inbox(page)).toHaveCount(0)
  await bell(other).click()
  await expect(inbox(other)).toContainText('Back again.')
  await expect(inbox(other).getByText('Unread')).toHaveCount(0)
})

test('a failing entry shows a toast and an inbox item that both link to it', async ({ page, instance }) => {
  await goLive(page, '/')
  await instance.forgetInboxGroups()
  const { body } = await instance.call<{ id: string }>('POST', '/api/v1/keepalive/', {
    ...{ url: instance.target.url('/down'), name: 'Shop', notifyAfter: 1 },
  })
  const toast = toasts(page, 'warning', 'Shop is failing (answered 503).')
  await toast.getByRole('link', { name: 'Open' }).click()
  await expect(page).toHaveURL(new RegExp(`/tools/keepalive/modify\\?id=${body.id}$`))
  await expect(toast).toHaveCount(0)
  await navigate(page, '/')
  await expect(bell(page)).toHaveAccessibleName(/unread/)
  await bell(page).click()
  const row = rows(page).filter({ hasText: 'Shop is failing (answered 503).' })
  await row.getByRole('link').press('Enter')
  await expect(page).toHaveURL(new RegExp(`/tools/keepalive/modify\\?id=${body.id}$`))
  await expect(inbox(page)).toHaveCount(0)
  // Otherwise opening the inbox would be what loads it first.
  const loaded = page.waitForResponse('**/api/v1/user/inbox*')
  await page.goto('/')
  await (await loaded).finished()
  await instance.remove(body.id)
  await bell(page).click()
  await expect(row).toBeVisible()
  await expect(row.getByRole('link')).toHaveCount(0)
})

test.describe('on a phone', () => {
  // Use a server without announcements: a toast would cover the sheet's button.
  test.use({ makesAnnouncements: false, signedInAs: 'grace', viewport: { width: 360, height: 740 } })
  test('the inbox is a sheet that reads Nothing yet while it is empty @release', async ({ page }) => {
    await page.route('**/api/v1/user/inbox', (route) => route.fulfill({ json: { unread: 0, items: [] } }))
    await page.goto('/')
    await bell(page).click()
    await expect(inbox(page)).toContainText('Nothing yet')
    expect(await accessibilityViolations(page)).toEqual([])
    await inbox(page).getByRole('button', { name: 'Close inbox' }).click()
    await expect(inbox(page)).toHaveCount(0)
    await expect(bell(page)).toBeFocused()
    await expectFitsPhone(page, '/')
  })
})
