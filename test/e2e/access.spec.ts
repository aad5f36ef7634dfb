import { browserOf, change, dismiss, person } from './admin.ts'
import { expect, test } from './kit.ts'

const denied = '/auth/error?error=AccessDenied'

test('whoever was denied goes on by themselves once an admin gives the role', async ({ browser, house }) => {
  const rosa = await person(house, 'rosa')
  const page = await browserOf(browser, house, 'rosa')
  const connected = page.waitForResponse('**/api/v1/events')
  await page.goto('/tools/keepalive/viewlist?sort=url')
  await expect(page).toHaveURL(denied)
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(page).toHaveURL(denied)
  await expect(page.getByText('This page goes on by itself once you have it.')).toBeVisible()
  await connected
  await change(house, rosa.id, { roles: { Tools: 1 } })
  await expect(page).toHaveURL('/tools/keepalive/viewlist?sort=url')
  await expect(page.getByText('Nothing here yet')).toBeVisible()
  await page.context().close()
  await dismiss(house, rosa)
})
