import type { Page } from '@playwright/test'
import { barriers, fitsPhone } from '../../../support/page/barriers.ts'
import { expect, go, test } from '../../../support/page/kit.ts'
import { browserOf, change, dismiss, person, rowOf } from '../../../support/page/users.ts'

test.use({ visitor: 'ada' })

const list = '/admin/users'
const denied = '/auth/error?error=AccessDenied'
const adminScreens = [
  list,
  '/admin/user/modify',
  '/admin/invites',
  '/admin/health',
  '/admin/audit',
  '/admin/notifications',
  '/admin/backups',
]

const tabs = (page: Page) => page.getByRole('navigation', { name: 'Admin area' })
const menu = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Admin' })

test.describe('the way to the admin area', () => {
  test('is tabs between its screens', async ({ page }) => {
    await page.goto(list)
    await test.step('the list has no barrier, nor scrolls sideways on a phone', async () => {
      for (const [path, sign] of [
        [`${list}?name=nobody`, 'No rows match your search.'],
        [list, 'grace@example.com'],
      ] as const) {
        await go(page, path)
        await expect(page.getByText(sign).first()).toBeVisible()
        expect.soft(await barriers(page), path).toEqual([])
        await fitsPhone(page, path)
      }
    })
    for (const path of adminScreens) {
      const tab = tabs(page).getByRole('link').nth(adminScreens.indexOf(path))
      await tab.click()
      await expect(page).toHaveURL(path)
      await expect(tab).toHaveAttribute('aria-current', 'page')
    }
  })

  test('lies behind the one menu button of a phone too @release', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/')
    await page.getByRole('button', { name: 'Menu' }).click()
    const sheet = page.getByRole('dialog', { name: 'Menu' })
    await sheet.getByRole('link', { name: 'Edit User' }).click()
    await expect(page).toHaveURL('/admin/user/modify')
  })

  test('offers level 1 nothing but the list, and closes and opens with the role, without a reload @release', async ({
    browser,
    house,
  }) => {
    const rosa = await person(house, 'rosa', { Admin: 1 })
    const page = await browserOf(browser, house, 'rosa')
    const streams = page.waitForResponse('**/api/v1/events*')
    await page.goto(list)
    await expect(rowOf(page, rosa.email)).toBeVisible()
    await streams
    await expect(rowOf(page, 'ada@example.com').getByRole('button', { name: 'Copy Email' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Edit' })).toHaveCount(0)
    await expect(tabs(page)).toHaveCount(0)
    await change(house, rosa.id, { roles: { Admin: 0 } })
    await expect(page).toHaveURL(denied)
    await expect(menu(page)).toHaveCount(0)
    await change(house, rosa.id, { roles: { Admin: 2 } })
    await expect(menu(page)).toBeVisible()
    await page.context().close()
    await dismiss(house, rosa)
  })
})
