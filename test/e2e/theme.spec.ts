import type { Page } from '@playwright/test'
import { expect, test } from './kit.ts'

const stored = (page: Page) => page.evaluate("localStorage.getItem('theme')")
const root = (page: Page) => page.locator('html')
const dark = /(^|\s)dark(\s|$)/

test('the first visit stores system and follows the operating system, also when it changes', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  expect(await stored(page)).toBe('system')
  await expect(page.getByRole('radio', { name: 'System theme' })).toBeChecked()
  await expect(root(page)).toHaveClass(dark)
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(root(page)).not.toHaveClass(dark)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(root(page)).toHaveClass(dark)
})

test('a chosen theme holds against the system, over a reload and in other tabs', async ({ page, context }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/')
  const other = await context.newPage()
  await other.goto('/auth/signin')
  await page.getByTitle('Dark theme').click()
  expect(await stored(page)).toBe('dark')
  await expect(root(page)).toHaveClass(dark)
  await expect(root(other)).toHaveClass(dark)
  await page.reload()
  await expect(root(page)).toHaveClass(dark)
  await expect(page.getByRole('radio', { name: 'Dark theme' })).toBeChecked()
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.getByTitle('Light theme').click()
  expect(await stored(page)).toBe('light')
  await expect(root(page)).not.toHaveClass(dark)
})

test('the theme is right at the first frame that shows anything, so nothing flashes', async ({ page }) => {
  await page.addInitScript(`
    const look = () => {
      if (!document.body) return requestAnimationFrame(look)
      window.firstFrame = { dark: document.documentElement.classList.contains('dark'), built: !!document.querySelector('header') }
    }
    requestAnimationFrame(look)`)
  // The program itself comes late; only what stands in the page can paint now.
  await page.route('**/assets/*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue()
  })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  await expect(page.getByRole('banner')).toBeVisible()
  expect(await page.evaluate('firstFrame')).toEqual({ dark: true, built: false })
})
