import { expect, holdBack, test } from '../../../support/page/kit.ts'
import { browserOf, change, dismiss, person } from '../../../support/page/users.ts'

const denied = '/auth/error?error=AccessDenied'

test('whoever was denied goes on by themselves once an admin gives the role, at the first change or a later one', async ({
  browser,
  house,
}) => {
  const rosa = await person(house, 'rosa')
  const page = await browserOf(browser, house, 'rosa')
  const connected = page.waitForResponse('**/api/v1/events*')
  await page.goto('/tools/keepalive/viewlist?sort=url')
  await expect(page).toHaveURL(denied)
  await connected
  await expect(page.getByText('This page will open automatically once you have access.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Try again' })).toHaveCount(0)
  const refused = page.waitForResponse('**/api/v1/auth/session')
  await change(house, rosa.id, { roles: { Admin: 1 } })
  await refused
  await expect(page.getByRole('button', { name: 'Admin' })).toBeVisible()
  await expect(page).toHaveURL(denied)
  await change(house, rosa.id, { roles: { Tools: 1 } })
  await expect(page).toHaveURL('/tools/keepalive/viewlist?sort=url')
  await expect(page.getByText('Nothing here yet')).toBeVisible()
  await page.context().close()
  await dismiss(house, rosa)
})

test('a role that is given before the screen hears of it is noticed all the same @release', async ({
  browser,
  house,
}) => {
  const rosa = await person(house, 'rosa')
  const page = await browserOf(browser, house, 'rosa')
  const hear = await holdBack(page, '**/api/v1/events*')
  await page.goto('/tools/keepalive/viewlist?sort=url')
  await expect(page).toHaveURL(denied)
  await change(house, rosa.id, { roles: { Tools: 1 } })
  hear()
  await expect(page.getByText('Nothing here yet')).toBeVisible()
  await page.context().close()
  await dismiss(house, rosa)
})

test('nor does it matter when the words of the refusal come later than the role @release', async ({
  browser,
  house,
}) => {
  const rosa = await person(house, 'rosa')
  const page = await browserOf(browser, house, 'rosa')
  const show = await holdBack(page, /\/assets\/error-/)
  const asked = page.waitForRequest(/\/assets\/error-/)
  const connected = page.waitForResponse('**/api/v1/events*')
  await page.goto('/tools/keepalive/viewlist?sort=url')
  await Promise.all([asked, connected])
  const known = page.waitForResponse('**/api/v1/auth/session')
  await change(house, rosa.id, { roles: { Tools: 1 } })
  await known
  show()
  await expect(page.getByText('Nothing here yet')).toBeVisible()
  await page.context().close()
  await dismiss(house, rosa)
})
