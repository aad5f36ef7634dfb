import type { Locator, Page } from '@playwright/test'
import type { House } from '../support/page/house.ts'
import { expect, test } from '../support/page/kit.ts'
import { create, select } from '../support/page/users.ts'

test.use({ visitor: 'ada' })

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const dialog = (page: Page) => page.getByRole('dialog')
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const key = (house: House, name: string) =>
  house.call('POST', '/api/v1/user/apikeys', { name, scopes: ['read'], expiresAt: null })

/** Opens it by keyboard and closes it each way; the focus is back at what opened it. */
async function givesBack(opener: Locator, opened: Locator, closes: readonly (() => Promise<void>)[]) {
  for (const close of closes) {
    await opener.press('Enter')
    await expect(opened).toBeVisible()
    await close()
    await expect(opened).toHaveCount(0)
    await expect(opener).toBeFocused()
  }
}

test('a dialog and a menu give the focus back, by Escape and by their buttons', async ({ page, house }) => {
  const id = await house.entry('/focus', { status: false })
  const byEscape = () => page.keyboard.press('Escape')
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await givesBack(button(page, 'Delete'), dialog(page), [byEscape, () => button(page, 'No').press('Enter')])
  await givesBack(button(page, 'Tools'), page.getByRole('menu'), [byEscape])
  await page.setViewportSize({ width: 360, height: 740 })
  await givesBack(button(page, 'Menu'), dialog(page), [byEscape, () => button(page, 'Close menu').press('Enter')])
  await house.remove(id)
})

test('a dropdown leaves the focus in its field, however it closes @release', async ({ page }) => {
  await page.goto(create)
  const status = select(page, 'Status')
  for (const leave of ['Escape', 'Enter']) {
    await status.press('ArrowDown')
    await expect(page.getByRole('option')).toHaveCount(3)
    await page.keyboard.press(leave)
    await expect(page.getByRole('option')).toHaveCount(0)
    await expect(status).toBeFocused()
  }
})

test('when what a dialog asked about is gone, the part it stood in has the focus @release', async ({ page, house }) => {
  await key(house, 'focus')
  await page.goto('/user/keys')
  await button(page, 'Delete focus').press('Enter')
  await button(page, 'Yes, Nuke it').press('Enter')
  await expect(button(page, 'Delete focus')).toHaveCount(0)
  await expect(part(page, 'API Keys')).toBeFocused()
})

test('when the form on screen is gone, the screen has the focus, and Tab goes on in it @release', async ({
  page,
  house,
}) => {
  const id = await house.entry('/focus', { status: false })
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  await button(page, 'Reset').press('Enter')
  await expect(page.getByLabel('Enter your ID')).toBeVisible()
  await expect(page.getByRole('main')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('main').locator(':focus')).toHaveCount(1)
  await house.remove(id)
})

test('a link and a menu to another screen lead to its heading', async ({ page }) => {
  await page.goto('/')
  const card = page.getByRole('list', { name: 'Tools' }).getByRole('link', { name: 'Keep Alive' })
  await card.press('Enter')
  await expect(page).toHaveURL('/tools/keepalive')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await button(page, 'Tools').press('Enter')
  await page.getByRole('menuitem', { name: 'Analytics Badge', exact: true }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Analytics Badge' })).toBeFocused()
})
