import type { Page } from '@playwright/test'
import { expect, test } from '../support/page/kit.ts'

const stored = (page: Page) => page.evaluate("localStorage.getItem('theme')")
const root = (page: Page) => page.locator('html')
const dark = /(^|\s)dark(\s|$)/
const choice = (page: Page, name: string) => page.getByRole('banner').getByRole('radio', { name: `${name} theme` })

test('The theme', async ({ page, context, holds }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  await expect(page.getByRole('banner')).toBeVisible()

  await holds('The first visit stores system in local storage under the key theme.', async () => {
    expect(await stored(page)).toBe('system')
    await expect(choice(page, 'System')).toBeChecked()
  })
  await holds('System follows the operating system, also when that changes.', async () => {
    await expect(root(page)).toHaveClass(dark)
    await page.emulateMedia({ colorScheme: 'light' })
    await expect(root(page)).not.toHaveClass(dark)
  })
  await holds('The header offers system, light and dark, one of them chosen.', async () => {
    await expect(page.getByRole('banner').getByRole('radio')).toHaveCount(3)
    for (const name of ['System', 'Light', 'Dark']) await expect(choice(page, name)).toHaveCount(1)
    await expect(page.getByRole('banner').getByRole('radio', { checked: true })).toHaveCount(1)
  })
  await holds('Dark adds the class dark to the root of the page and is stored.', async () => {
    await page.getByTitle('Dark theme').click()
    await expect(root(page)).toHaveClass(dark)
    expect(await stored(page)).toBe('dark')
  })
  await holds('Light removes it, against a dark operating system too.', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByTitle('Light theme').click()
    await expect(root(page)).not.toHaveClass(dark)
    expect(await stored(page)).toBe('light')
  })
  await holds('A choice stays over a reload.', async () => {
    await page.reload()
    await expect(choice(page, 'Light')).toBeChecked()
    await expect(root(page)).not.toHaveClass(dark)
  })
  await holds('A choice reaches the other tabs of the browser.', async () => {
    const other = await context.newPage()
    await other.goto('/auth/signin')
    await page.getByTitle('Dark theme').click()
    await expect(root(other)).toHaveClass(dark)
    await other.close()
  })
  await holds('System can be chosen again.', async () => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByTitle('System theme').click()
    expect(await stored(page)).toBe('system')
    await expect(root(page)).not.toHaveClass(dark)
  })
  await holds('A stored word that is no theme counts as system, and is replaced.', async () => {
    await page.evaluate("localStorage.setItem('theme', 'purple')")
    await page.reload()
    await expect(choice(page, 'System')).toBeChecked()
    expect(await stored(page)).toBe('system')
  })
})
