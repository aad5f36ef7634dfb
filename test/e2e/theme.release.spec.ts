import { expect, holdBack, test } from '../support/page/kit.ts'

test('the theme is right at the first frame that shows anything, so nothing flashes', async ({ page }) => {
  await page.addInitScript(`
    const look = () => {
      if (!document.body) return requestAnimationFrame(look)
      window.firstFrame = { dark: document.documentElement.classList.contains('dark'), built: !!document.querySelector('main') }
    }
    requestAnimationFrame(look)`)
  // The program itself comes late: only what stands in the page can paint before.
  const program = await holdBack(page, '**/assets/*.js')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/', { waitUntil: 'commit' })
  await expect.poll(() => page.evaluate('window.firstFrame')).toEqual({ dark: true, built: false })
  program()
  await expect(page.getByRole('main')).toBeVisible()
})
