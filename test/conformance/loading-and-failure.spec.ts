import { expect, test } from '../support/page/kit.ts'

test.use({ reducedMotion: 'no-preference' })

const rounds =
  "document.querySelector('[role=status] svg').getAnimations({ subtree: true }).map((a) => a.effect.getTiming())"
const inHeader = "document.querySelector('header svg').getAnimations({ subtree: true }).length"

test('While one waits', async ({ page, holds }) => {
  await page.goto('/_loading')
  await holds('The loading screen shows the logo, and says so to whoever listens.', async () => {
    await expect(page.getByRole('main').getByRole('status').locator('svg')).toBeVisible()
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading')
  })
  await holds('The logo moves in rounds of 1.5 seconds, without end.', async () => {
    const timings = (await page.evaluate(rounds)) as { duration: number; iterations: number | null }[]
    expect(timings.length).toBeGreaterThan(0)
    for (const { duration, iterations } of timings)
      expect([duration, iterations]).toEqual([1_500, Number.POSITIVE_INFINITY])
  })
  await holds('The logo in the header moves as long as an answer is awaited, and then rests.', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/api/v1/auth/session', async (route) => {
      await answered
      await route.continue()
    })
    await page.goto('/')
    await expect.poll(() => page.evaluate(inHeader)).toBeGreaterThan(0)
    answer()
    await expect.poll(() => page.evaluate(inHeader)).toBe(0)
  })
})

test.describe('when a screen breaks', () => {
  test.use({ provoked: [/status (?:of|code) 500/] })
  test('When a screen breaks @release', async ({ page, complaints, holds }) => {
    await page.route('**/api/v1/auth/session', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto('/user')
    await holds('The failure screen says SOMETHING FAILED and Check console for error stack.', async () => {
      await expect(page.getByRole('heading', { name: 'SOMETHING FAILED', exact: true })).toBeVisible()
      await expect(page.getByText('Check console for error stack', { exact: true })).toBeVisible()
      await expect(page).toHaveTitle('ToolBox - Failed')
    })
    await holds('The console holds the error, Request failed with status code 500, with its stack.', async () => {
      await expect
        .poll(() => complaints.filter((text) => /CallError: Request failed with status code 500\s+at /.test(text)))
        .not.toEqual([])
    })
    await holds('It stands under the header and leads home.', async () => {
      await expect(page.getByRole('banner')).toBeVisible()
      await page.unroute('**/api/v1/auth/session')
      await page.getByRole('main').getByRole('link', { name: 'Back home' }).click()
      await expect(page).toHaveTitle('ToolBox - Home')
    })
  })
})
