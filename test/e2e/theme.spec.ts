import { expect, test } from '../support/page/kit.ts'

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
