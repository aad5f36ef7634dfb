import type { Page } from '@playwright/test'
import { expect, test } from './kit.ts'

const tools = (page: Page) => page.getByRole('button', { name: 'Tools' })
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })

test.describe('the header', () => {
  test.use({ visitor: 'ada' })

  test('opens a menu whose code arrives while its button is pressed', async ({ page }) => {
    const { promise: wanted, resolve: letIn } = Promise.withResolvers<void>()
    await page.route(/menu-popup/, async (route) => {
      await wanted
      await route.continue()
    })
    await page.goto('/')
    await page.getByRole('button', { name: 'Tools' }).hover()
    await page.mouse.down()
    const arrived = page.waitForResponse(/menu-popup/)
    letIn()
    await (await arrived).finished()
    // The code runs and the screen is drawn anew before the pointer goes up.
    await page.evaluate('new Promise((drawn) => setTimeout(drawn, 300))')
    await page.mouse.up()
    await expect(page.getByRole('menu')).toBeVisible()
  })

  test('opens and walks a menu by keyboard alone', async ({ page }) => {
    await page.goto('/')
    await page.waitForLoadState('networkidle')
    await tools(page).focus()
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

test.describe('the about page', () => {
  test.use({ visitor: 'ada' })
  test('leads to create, the list and modify', async ({ page }) => {
    const ways = { Create: 'create', 'View list': 'viewlist', Modify: 'modify' }
    for (const [name, path] of Object.entries(ways)) {
      await page.goto('/tools/keepalive')
      await expect(page).toHaveTitle('ToolBox - Keep Alive')
      await page.getByRole('main').getByRole('link', { name }).click()
      await expect(page).toHaveURL(`/tools/keepalive/${path}`)
    }
  })
})

test.describe('a wrong address', () => {
  test.use({ provoked: [/status of 404/] })
  for (const path of ['/nowhere', '/tools/keepalive/nowhere', '/auth/signin/user/more'])
    test(`${path} answers 404 with the screen that says so`, async ({ page }) => {
      const answer = await page.goto(path)
      expect(answer?.status()).toBe(404)
      await expect(page).toHaveTitle('ToolBox - Wrong Page')
      await expect(page.getByRole('heading', { name: '404' })).toBeVisible()
      await expect(page.getByText('Page Not Found')).toBeVisible()
    })
})

test('/_fail shows the failure screen', async ({ page }) => {
  await page.goto('/_fail')
  await expect(page.getByRole('heading', { name: 'SOMETHING FAILED' })).toBeVisible()
  await expect(page.getByText('Check console for error stack')).toBeVisible()
})

test('/_loading shows the logo in its round of 1.5 seconds', async ({ page }) => {
  await page.goto('/_loading')
  await expect(page.getByRole('status')).toBeVisible()
  const rounds =
    "document.querySelector('[role=status] svg').getAnimations({ subtree: true }).map((a) => a.effect.getTiming())"
  const timings = (await page.evaluate(rounds)) as { duration: number; iterations: number | null }[]
  expect(timings.length).toBeGreaterThan(0)
  for (const { duration, iterations } of timings)
    expect([duration, iterations]).toEqual([1_500, Number.POSITIVE_INFINITY])
})
