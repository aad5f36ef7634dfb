import type { Page } from '@playwright/test'
import packageJson from '../../package.json' with { type: 'json' }
import { expect, holdBack, test } from '../support/page/kit.ts'

const tools = (page: Page) => page.getByRole('button', { name: 'Tools' })
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })

test.describe('the header', () => {
  test.use({ visitor: 'ada' })

  test('opens a menu whose code arrives while its button is pressed', async ({ page }) => {
    const letIn = await holdBack(page, /menu-popup/)
    await page.goto('/')
    await page.getByRole('button', { name: 'Tools' }).hover()
    await page.mouse.down()
    const arrived = page.waitForResponse(/menu-popup/)
    letIn()
    // The code has run and the screen is drawn anew before the pointer goes up.
    const drawn = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))'
    await page.evaluate(`import(${JSON.stringify((await arrived).url())}).then(() => ${drawn})`)
    await page.mouse.up()
    await expect(page.getByRole('menu')).toBeVisible()
  })

  test('goes where a press began, though what the item tells arrives before it ends @release', async ({ page }) => {
    const letIn = await holdBack(page, /at-home.*js/)
    await page.goto('/tools/keepalive/create')
    await tools(page).click()
    const relay = item(page, 'Heroku Discord Webhook')
    const { x, y, height } = (await relay.locator('[data-hint]').boundingBox())!
    await page.mouse.move(x + 5, y + height - 5)
    await page.mouse.down()
    letIn()
    await expect(relay.locator('[data-hint="No entries yet"]')).toBeVisible()
    await page.mouse.up()
    await expect(page).toHaveURL('/tools/herokudiscordwebhook')
  })

  test('opens a menu by keyboard before its code has arrived @release', async ({ page }) => {
    const letIn = await holdBack(page, /menu-popup/)
    await page.goto('/')
    await tools(page).press('Enter')
    letIn()
    await expect(item(page, 'Home')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('menu')).toHaveCount(0)
    await expect(tools(page)).toBeFocused()
  })

  test('opens and walks a menu by keyboard alone @release', async ({ page }) => {
    await page.goto('/')
    await page.waitForLoadState('networkidle')
    await tools(page).focus()
    // The menu's code has come: what a press does before is the test before's.
    await expect(tools(page)).toHaveAttribute('id', /^base-ui-/)
    await page.keyboard.press('Enter')
    await expect(item(page, 'Home')).toBeFocused()
    for (const name of ['Analytics Badge', 'Keep Alive']) {
      await page.keyboard.press('ArrowDown')
      await expect(item(page, name)).toBeFocused()
    }
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/tools/keepalive')
  })
})

test('below each screen stands the version @release', async ({ page }) => {
  for (const path of ['/', '/auth/error']) {
    await page.goto(path)
    await expect(page.getByRole('contentinfo')).toHaveText(`Version ${packageJson.version}DocumentationAPIMIT License`)
  }
})

test.describe('the cards of the home page', () => {
  test.use({ visitor: 'ada' })
  test('tell how many entries are at work, how many rest, and how often badges were viewed today', async ({
    page,
    house,
  }) => {
    const ids = [await house.entry('/at-work'), await house.entry('/at-rest', { status: false })]
    const { length } = await house.entries()
    await fetch(`${house.url}/api/v1/analyticsbadge/on_the_card`)
    await page.goto('/')
    const card = (name: string) =>
      page.getByRole('list', { name: 'Tools' }).getByRole('listitem').filter({ hasText: name })
    const resting = (await house.entries()).filter(({ status }) => !status).length
    await expect(card('Keep Alive')).toContainText(`${length - resting} up · ${resting} paused`)
    await expect(card('Keep Alive').getByRole('img', { name: /^The last (\d+ )?runs?/ })).toBeVisible()
    await expect(card('GitHub Media Invalidator')).toContainText('No entries yet')
    await expect(card('Analytics Badge')).toContainText(/[1-9]\d* views? today/)
    const numbers = page.getByRole('region', { name: 'Numbers' })
    await expect(numbers.locator('div').filter({ hasText: 'Entries' })).toContainText(`${length}`)
    await expect(numbers.locator('div').filter({ hasText: 'Pings today' })).toContainText(/[1-9]\d*None failed/)
    for (const id of ids) await house.remove(id)
  })
})

test.describe('an address without a screen', () => {
  test.use({ provoked: [/404 \(Not Found\)/] })
  test('says so until the next screen takes its place @release', async ({ page }) => {
    await page.goto('/nowhere')
    await expect(page.getByText('Page Not Found')).toBeVisible()
    await page.evaluate(`
      window.gaps = 0
      const main = document.querySelector('main')
      new MutationObserver(() => {
        if (!main.querySelector('h1')) window.gaps += 1
      }).observe(main, { childList: true, subtree: true })`)
    await page.getByRole('link', { name: 'Back home' }).click()
    await expect(page.getByRole('heading', { level: 1, name: "It's hard to know who anyone is" })).toBeVisible()
    expect(await page.evaluate('window.gaps')).toBe(0)
  })
})

test.describe('a page that was scrolled', () => {
  test.use({ visitor: 'ada', viewport: { width: 360, height: 500 } })
  test('is where it was left after a reload @release', async ({ page }) => {
    await page.goto('/tools/keepalive/create')
    await expect(page.getByRole('button', { name: 'Request and quiet hours' })).toBeVisible()
    // The router hears of it in the next frame.
    await page.evaluate(
      `new Promise((heard) => {
        addEventListener('scroll', heard, { once: true })
        scrollTo(0, 300)
      })`,
    )
    await page.reload()
    await expect.poll(() => page.evaluate('scrollY')).toBe(300)
    // Also if one is too impatient to wait for that.
    const come = await holdBack(page, '**/api/v1/auth/session')
    await page.reload({ waitUntil: 'commit' })
    await expect(page.getByRole('main').getByRole('status')).toBeVisible()
    await page.reload({ waitUntil: 'commit' })
    come()
    await expect.poll(() => page.evaluate('scrollY')).toBe(300)
  })
})
