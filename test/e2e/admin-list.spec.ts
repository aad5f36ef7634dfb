import type { Page } from '@playwright/test'
import { browserOf, change, dismiss, person, rowOf, rows, search } from './admin.ts'
import { barriers, fitsPhone } from './barriers.ts'
import { expect, test, toasts } from './kit.ts'

test.use({ visitor: 'ada', permissions: ['clipboard-read', 'clipboard-write'] })

const list = '/admin/users'
const denied = '/auth/error?error=AccessDenied'
const adminScreens = [list, '/admin/user/modify', '/admin/user/create', '/admin/audit', '/admin/notifications']

const tabs = (page: Page) => page.getByRole('navigation', { name: 'Admin area' })
const menu = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Admin' })

test.describe('the list of users', () => {
  test('has the four columns and the actions, and tells when each account was last used', async ({ page, house }) => {
    const never = await person(house, 'nina')
    await page.goto(list)
    await expect(page).toHaveTitle('ToolBox - List Users')
    const heads = ['User ID', 'Last Usage Timestamp', 'Account Name', 'Email', 'Actions']
    await expect(page.getByRole('columnheader')).toHaveText(heads)
    const ada = rowOf(page, 'ada@example.com').getByRole('cell')
    await expect(ada.nth(1)).toHaveText(/^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M$/)
    await expect(ada.nth(1).locator('span')).toHaveAttribute('title', /ago$|^just now$/)
    await expect(ada.nth(2)).toHaveText('ada')
    await expect(rowOf(page, never.email).getByRole('cell')).toHaveText([never.id, '–', 'nina', never.email, ''])
    await dismiss(house, never)
  })

  test('puts accounts that were never used last, whichever way it is sorted', async ({ page, house }) => {
    const never = await person(house, 'nora')
    await page.goto(list)
    await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('50')
    const head = page.getByRole('button', { name: 'Last Usage Timestamp' })
    for (const way of ['ascending', 'descending']) {
      await head.click()
      await expect(page.getByRole('columnheader', { name: 'Last Usage' })).toHaveAttribute('aria-sort', way)
      const used = (await rows(page).locator('td:nth-child(2)').allInnerTexts()).map((text) => text !== '–')
      expect(used).toContain(false)
      expect(used.lastIndexOf(true)).toBeLessThan(used.indexOf(false))
    }
    await dismiss(house, never)
  })

  test('searches each of its columns fuzzily, a dash for never included', async ({ page, house }) => {
    const nico = await person(house, 'nico')
    const year = String(new Date().getFullYear())
    const searches = [
      ['User ID', `${nico.id.slice(0, 8)}${nico.id.slice(-8)}`, 'nico@example.com'],
      ['Last Usage Timestamp', '–', 'nico@example.com'],
      ['Last Usage Timestamp', year, 'ada@example.com'],
      ['Account Name', 'nco', 'nico@example.com'],
      ['Email', 'adaxmpl', 'ada@example.com'],
    ] as const
    await page.goto(list)
    for (const [column, text, found] of searches) {
      await search(page, column).fill(text)
      await expect(rowOf(page, found === 'ada@example.com' ? 'nico@example.com' : 'ada@example.com')).toHaveCount(0)
      await expect(rowOf(page, found)).toHaveCount(1)
      await search(page, column).fill('')
      await expect(rowOf(page, 'grace@example.com')).toHaveCount(1)
    }
    await dismiss(house, nico)
  })

  test('copies an e-mail and leads to the form of its user', async ({ page }) => {
    await page.goto(list)
    const grace = rowOf(page, 'grace@example.com')
    await grace.getByRole('button', { name: 'Copy Email' }).click()
    await expect(toasts(page, 'info')).toContainText('grace@example.com')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('grace@example.com')
    await grace.getByRole('link', { name: 'Edit' }).click()
    await expect(page).toHaveURL('/admin/user/modify?email=grace%40example.com')
    await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('grace')
  })
})

test.describe('the way to the admin area', () => {
  test('is a menu of two, highlighted on every admin screen, and tabs between them', async ({ page }) => {
    await page.goto('/')
    await expect(menu(page)).not.toHaveAttribute('data-active')
    await menu(page).click()
    await expect(page.getByRole('menuitem')).toHaveText(['List Users', 'Edit User'])
    await page.getByRole('menuitem', { name: 'List Users' }).click()
    await expect(page).toHaveURL(list)
    for (const path of adminScreens) {
      const tab = tabs(page).getByRole('link').nth(adminScreens.indexOf(path))
      await tab.click()
      await expect(page).toHaveURL(path)
      await expect(tab).toHaveAttribute('aria-current', 'page')
      await expect(menu(page)).toHaveAttribute('data-active')
    }
  })

  test('lies behind the one menu button of a phone too', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/')
    await page.getByRole('button', { name: 'Menu' }).click()
    const sheet = page.getByRole('dialog', { name: 'Menu' })
    await sheet.getByRole('link', { name: 'Edit User' }).click()
    await expect(page).toHaveURL('/admin/user/modify')
  })

  test('is open to level 1 as far as the list', async ({ browser, house }) => {
    const reader = await person(house, 'rita', { Admin: 1 })
    const page = await browserOf(browser, house, 'rita')
    await page.goto(list)
    await expect(rowOf(page, 'ada@example.com').getByRole('button', { name: 'Copy Email' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Edit' })).toHaveCount(0)
    await expect(tabs(page)).toHaveCount(0)
    for (const path of adminScreens.slice(1)) {
      await page.goto(path)
      await expect(page).toHaveURL(denied)
    }
    await page.context().close()
    await dismiss(house, reader)
  })

  test.describe('for somebody without a role', () => {
    test.use({ visitor: 'grace' })
    test('is closed, and there is no menu', async ({ page }) => {
      for (const path of adminScreens) {
        await page.goto(path)
        await expect(page).toHaveURL(denied)
      }
      await expect(page.getByRole('button', { name: 'grace' })).toBeVisible()
      await expect(menu(page)).toHaveCount(0)
    })
  })

  test('closes under whoever loses the role, and opens with it, without a reload', async ({ browser, house }) => {
    const rosa = await person(house, 'rosa', { Admin: 1 })
    const page = await browserOf(browser, house, 'rosa')
    const streams = page.waitForResponse('**/api/v1/events')
    await page.goto(list)
    await expect(rowOf(page, rosa.email)).toBeVisible()
    await streams
    await change(house, rosa.id, { roles: { Admin: 0 } })
    await expect(page).toHaveURL(denied)
    await expect(menu(page)).toHaveCount(0)
    await change(house, rosa.id, { roles: { Admin: 2 } })
    await expect(menu(page)).toBeVisible()
    await page.context().close()
    await dismiss(house, rosa)
  })

  test('and every other way closes when an admin blocks somebody who is signed in', async ({ browser, house }) => {
    const boris = await person(house, 'boris')
    const page = await browserOf(browser, house, 'boris')
    const streams = page.waitForResponse('**/api/v1/events')
    await page.goto('/user')
    await expect(page.getByText(boris.email)).toBeVisible()
    await streams
    await change(house, boris.id, { status: 0 })
    await expect(page).toHaveURL('/auth/signin')
    await page.context().close()
    await dismiss(house, boris)
  })
})

test('the list has no barrier, nor scrolls sideways on a phone', async ({ page }) => {
  for (const [path, sign] of [
    [list, 'grace@example.com'],
    [`${list}?name=nobody`, 'No row matches the search.'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByText(sign).first()).toBeVisible()
    expect.soft(await barriers(page), path).toEqual([])
    await fitsPhone(page, path)
  }
})
