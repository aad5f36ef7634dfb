import { browserOf, change, dismiss, person } from './admin.ts'
import { expect, test } from './kit.ts'

const screens = ['', '/create', '/modify', '/viewlist', '/modify?id=of-somebody-else']
const denied = '/auth/error?error=AccessDenied'

test('whoever is signed out is denied every screen of a tool, and offered to sign in', async ({ page }) => {
  for (const screen of screens) {
    await page.goto(`/tools/keepalive${screen}`)
    await expect(page).toHaveURL(denied)
  }
  await expect(page).toHaveTitle('ToolBox - Access denied')
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' })).toBeVisible()
})

test('the menu leads whoever is signed out to the same refusal', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Tools' }).click()
  await page.getByRole('menuitem', { name: 'Keep Alive' }).click()
  await expect(page).toHaveURL(denied)
})

test.describe('somebody without a role', () => {
  test.use({ visitor: 'grace' })

  test('is denied every screen of a tool, and told that an admin can help', async ({ page }) => {
    for (const screen of screens) {
      await page.goto(`/tools/keepalive${screen}`)
      await expect(page).toHaveURL(denied)
    }
    await expect(page.getByText('Your account does not have the role this page needs.')).toBeVisible()
    await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' })).toHaveCount(0)
  })

  test('still has a profile, without roles of level 0', async ({ page }) => {
    await page.goto('/user')
    await expect(page).toHaveTitle('ToolBox - User Profile')
    const details = page.getByRole('region', { name: 'User Details' })
    await expect(details).toContainText('grace@example.com')
    await expect(details).toContainText('Active')
    const roles = page.getByRole('region', { name: 'Assigned Roles' })
    await expect(roles).toContainText('No role has been assigned to you yet.')
    await expect(roles.getByRole('row')).toHaveCount(0)
  })
})

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

test.describe('an admin', () => {
  test.use({ visitor: 'ada' })
  test('sees the own roles and ways to sign in on the profile', async ({ page }) => {
    await page.goto('/user')
    const roles = page.getByRole('region', { name: 'Assigned Roles' })
    await expect(roles.getByRole('row', { name: 'Tools Admin Access' })).toBeVisible()
    await expect(roles.getByRole('row', { name: 'Admin Admin Access' })).toBeVisible()
    const visit = page.getByRole('row', { name: /^Credentials/ }).getByRole('link', { name: 'Visit' })
    await expect(visit).toHaveAttribute('href', '/user')
    await expect(visit).toHaveAttribute('target', '_blank')
  })
})
