import { expect, test, turn } from '../support/page/kit.ts'

const list = '/tools/keepalive/viewlist'
const stream = '**/api/v1/events*'

test.describe('a screen in a tab behind', () => {
  test.use({ visitor: 'ada' })

  test('holds no connection, and knows at once what it missed', async ({ page, house }) => {
    const opened = page.waitForRequest(stream)
    await page.goto(list)
    const live = await opened
    const ended = page.waitForEvent('requestfailed', (request) => request === live)
    await turn(page, 'hidden')
    await ended
    const url = house.target.url('/unseen')
    const { body } = await house.call<{ id: string }>('POST', '/api/v1/keepalive/', { url, status: false })
    const again = page.waitForResponse(stream)
    await turn(page, 'visible')
    await again
    await expect(page.getByRole('cell').filter({ hasText: url })).toBeVisible()
    await expect(page.getByText('Connection lost')).toHaveCount(0)
    await house.remove(body.id)
  })
})

test('pages that a browser keeps for the way back do not hold up the next one @release', async ({
  playwright,
  launchOptions,
  house,
}) => {
  const browser = await playwright.chromium.launch({
    ...launchOptions,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
  const context = await browser.newContext({ baseURL: house.url, storageState: house.sessions.ada })
  const page = await context.newPage()
  // One more than the six connections that a browser has to a server.
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const live = page.waitForResponse(stream)
    await page.goto(`${list}?page=${n}`, { timeout: 20_000 })
    await live
  }
  // Playwright does not follow a page that comes back from where it was kept: going back would hang now and then.
  await expect(page.getByRole('heading', { name: 'Keep Alive', exact: true })).toBeVisible()
  await browser.close()
})
