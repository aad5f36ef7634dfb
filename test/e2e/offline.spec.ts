import type { Page } from '@playwright/test'
import { expect, fetchedAhead, test, toasts } from '../support/page/kit.ts'

test.use({
  visitor: 'ada',
  fetchesAhead: true,
  provoked: [/ERR_FAILED|status of 404|CallError: Network Error|Error: No tool/],
})

const cuts: readonly { what: string; missing: string | RegExp }[] = [
  { what: 'the server is away', missing: '**/*' },
  { what: 'its program does not come', missing: /assets\/modify-.*\.js/ },
  { what: 'its styles do not come', missing: /assets\/.*\.css/ },
]

const networkError = (page: Page) => toasts(page, 'danger', 'Network Error')

for (const { what, missing } of cuts)
  test(`a link followed while ${what} keeps the screen, and works afterwards without a reload @release`, async ({
    page,
  }) => {
    await page.goto('/tools/keepalive')
    const link = page.getByRole('main').getByRole('link', { name: 'Modify' })
    const search = page.getByRole('main').getByLabel('Enter your ID')
    await fetchedAhead(page)
    await page.evaluate('window.sameLoad = true')
    await page.route(missing, (route) => route.abort())
    await link.click()
    await expect(networkError(page)).toBeVisible()
    await expect(page).toHaveURL('/tools/keepalive')
    await expect(page).toHaveTitle('ToolBox - Keep Alive')
    await expect(link).toBeVisible()
    await page.unrouteAll()
    await link.click()
    await expect(search).toBeVisible()
    await expect(page.locator('link[rel=stylesheet][href*="/modify-"]')).toHaveCount(1)
    expect(await page.evaluate('window.sameLoad')).toBe(true)
    await page.goBack()
    await expect(link).toBeVisible()
  })

test('a page opened while the server is away says so, and comes once it is back', async ({ page }) => {
  await page.route('**/api/**', (route) => route.abort())
  await page.goto('/tools/keepalive/viewlist')
  await expect(page.getByRole('heading', { name: 'Network Error' })).toBeVisible()
  await expect(page).toHaveTitle('ToolBox - Network Error')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Keep Alive', exact: true })).toBeVisible()
})

test('a tool that fails to load is said on the failure screen, which leads home @release', async ({ page }) => {
  const first = /assets\/index-.*\.js/
  await page.route(first, async (route) => {
    const answer = await route.fetch()
    const program = (await answer.text()).replace(
      /(pages:\(\)=>)Promise\.resolve\([\w$]+\)/,
      "$1Promise.reject(Error('No tool'))",
    )
    expect(program).toContain('No tool')
    // Files of the build are kept for good otherwise.
    await route.fulfill({ body: program, contentType: 'text/javascript', headers: { 'cache-control': 'no-store' } })
  })
  await page.goto('/tools/keepalive')
  await expect(page.getByRole('heading', { name: 'SOMETHING FAILED' })).toBeVisible()
  await expect(page).toHaveTitle('ToolBox - Failed')
  await page.unroute(first)
  await page.getByRole('link', { name: 'Back home' }).click()
  await expect(page).toHaveTitle('ToolBox - Home')
})

test('a page that is older than the server is loaded anew at the address that is wanted @release', async ({ page }) => {
  let isOld = true
  await page.goto('/tools/keepalive')
  const link = page.getByRole('main').getByRole('link', { name: 'Create' })
  await expect(link).toBeVisible()
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isOld = false
  })
  await page.route(/assets\/create-.*\.js/, (route) => (isOld ? route.fulfill({ status: 404 }) : route.continue()))
  await link.click()
  await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
  expect(isOld).toBe(false)
  await page.goBack()
  await expect(link).toBeVisible()
})
