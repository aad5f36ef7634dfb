import type { Page, Request, Route } from '@playwright/test'
import type { Instance } from '../support/page/instance.ts'
import { expect, goLive, signInAs, test, toasts, waitForPrefetch } from '../support/page/kit.ts'
import { startTarget } from '../support/page/target.ts'
import { createTestUser } from '../support/page/users.ts'
import { password } from '../support/people.ts'
import { admin, adminEnv, signedInClient, startProcess } from '../support/process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const isStream = (request: Request) => new URL(request.url()).pathname === '/api/v1/events'
/** Console errors for connections that end. */
const broken =
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_FAILED|ERR_SOCKET_NOT_CONNECTED/
const lostIn = (page: Page) => page.getByText('Connection lost. Trying again…')
const list = '/tools/keepalive/viewlist'
const stream = '**/api/v1/events*'

test('a lost connection is shown, and reconnecting loads missed changes', async ({
  page,
  context,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(broken)
  const folder = temporaryFolder()
  const target = await startTarget()
  let server = await startProcess({ DATA_DIR: folder, ...adminEnv })
  const answer = await context.request.post(`${server.url}/api/auth/sign-in/username`, { data: admin })
  expect(answer.ok()).toBe(true)
  await goLive(page, server.url + list)
  await expect(page.getByText('Nothing here yet')).toBeVisible()

  await server.end('SIGTERM')
  const lost = lostIn(page)
  await expect(lost).toBeVisible()

  // Keep the page from reconnecting before the change below.
  await page.route('**/api/v1/events*', (route) => route.abort())
  server = await startProcess({ DATA_DIR: folder, PORT: new URL(server.url).port, ...adminEnv })
  const elsewhere = await signedInClient(server.url)
  const created = await elsewhere('POST', '/api/v1/keepalive/', { url: target.url('/meanwhile'), status: false })
  expect(created.status).toBe(201)
  const requestedPaths: string[] = []
  page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
  await page.unroute('**/api/v1/events*')
  await expect(lost).toBeHidden()
  await expect(page.getByRole('cell').filter({ hasText: target.url('/meanwhile') })).toBeVisible()

  // The restarted server may not know earlier events, so the page reloads all its data.
  await expect.poll(() => requestedPaths.filter((path) => path === '/api/v1/keepalive/forecast')).toHaveLength(1)

  await page.goto('about:blank')
  await server.end('SIGTERM')
  await target.stop()
})

test.describe('a screen that reconnects', () => {
  test.use({ signedInAs: 'ada', allowedConsoleErrors: [/ERR_FAILED|503/] })
  const session = '**/api/v1/auth/session'
  const rest = { status: false }

  /** Breaks the first stream and runs the callback before the second. Returns a counter of requests since then. */
  async function breakFirst(page: Page, beforeSecond: (route: Route) => Promise<void>) {
    const requestedPaths: string[] = []
    page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
    let isFirst = true
    await page.route('**/api/v1/events*', async (route) => {
      if (isFirst) {
        isFirst = false
        return route.abort()
      }
      // The screen itself may load after its stream has begun.
      await expect.poll(() => requestedPaths).toContain('/api/v1/keepalive/forecast')
      requestedPaths.length = 0
      await beforeSecond(route)
    })
    return (path: string) => requestedPaths.filter((one) => one === path).length
  }

  /** Returns a function that waits until an event of the page's stream contains the start of this text. */
  async function eventsHeardBy(page: Page) {
    const browser = await page.context().newCDPSession(page)
    const received: string[] = []
    browser.on('Network.eventSourceMessageReceived', ({ data }) => received.push(data))
    await browser.send('Network.enable')
    return (text: string) => expect.poll(() => received.some((data) => data.includes(text.slice(0, 8)))).toBe(true)
  }

  test('shows missed changes even if the session cannot be checked @release', async ({ page, instance }) => {
    await breakFirst(page, async (route) => {
      await instance.entry('/unheard', rest)
      await page.route(session, (call) => call.fulfill({ status: 503, json: {} }))
      // A stream that doesn't replay earlier events.
      await route.continue({ url: `${instance.url}/api/v1/events` })
    })
    await page.goto(list)
    await expect(page.getByRole('row').filter({ hasText: '/unheard' })).toBeVisible()
  })

  test('keeps text typed while disconnected', async ({ page, instance }) => {
    const id = await instance.entry('/kept', rest)
    const url = page.getByLabel('URL', { exact: true })
    await page.route('**/api/v1/events*', (route) => route.abort())
    await page.goto(`/tools/keepalive/modify?id=${id}`)
    await url.fill(instance.target.url('/typed'))
    await expect(lostIn(page)).toBeVisible()
    const askedInVain = page.waitForEvent('requestfailed', (request) => request.url().includes(id))
    await page.route(`**/api/v1/keepalive?*${id}*`, (route) => route.abort())
    await askedInVain
    await page.unrouteAll()
    await expect(lostIn(page)).toBeHidden()
    await expect(url).toHaveValue(instance.target.url('/typed'))
    await page.keyboard.press('Control+s')
    await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
    await expect(url).toHaveValue(instance.target.url('/typed'))
  })

  test('reloads its data once, even if events arrive before the response @release', async ({ page, instance }) => {
    await page.clock.install()
    const ids: string[] = []
    const waitForEvent = await eventsHeardBy(page)
    const requestCount = await breakFirst(page, async (route) => {
      ids.push(await instance.entry('/heard-of', rest))
      const look = async (call: Route) => {
        const id = await instance.entry('/heard-of-later', rest)
        ids.push(id)
        // The event must arrive before the response.
        await waitForEvent(id)
        await call.continue()
      }
      await page.route(session, look, { times: 1 })
      await route.continue()
    })
    await page.goto(list)
    await expect(page.getByRole('row').filter({ hasText: '/heard-of-later' })).toBeVisible()
    // By then another reload would have started.
    await page.clock.runFor(1_500)
    expect(requestCount('/api/v1/keepalive/forecast')).toBe(1)
  })
})

async function endOtherSessions({ url }: Instance, username: string) {
  const elsewhere = await signedInClient(url, { username, password })
  expect((await elsewhere('DELETE', '/api/v1/user/sessions?others=true')).status).toBe(200)
}

async function expectSessionEnded(page: Page) {
  await expect(page).toHaveURL('/auth/signin')
  await expect(toasts(page, 'info', 'Your session has ended. Sign in to continue.')).toBeVisible()
}

test.describe('a session that ends', () => {
  test.use({ allowedConsoleErrors: [new RegExp(`${broken.source}|status of 401`)] })

  test('sign-out closes the stream, and sign-in opens one @release', async ({ page, context, instance }) => {
    const username = 'returning'
    await createTestUser(instance, username)
    await signInAs(context, instance.url, username)
    const open = new Set<Request>()
    page.on('request', (request) => void (isStream(request) && open.add(request)))
    page.on('requestfailed', (request) => open.delete(request))
    page.on('requestfinished', (request) => open.delete(request))
    await page.clock.install()
    await page.goto('/user')
    await expect.poll(() => open.size).toBe(1)
    await endOtherSessions(instance, username)
    await expectSessionEnded(page)
    await expect.poll(() => open.size).toBe(0)
    // By then the message would have appeared.
    await page.clock.runFor(1_500)
    await expect(page.getByText('Connection lost')).toHaveCount(0)

    await page.getByRole('link', { name: 'Sign in with username and password' }).click()
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
    await expect(page).toHaveURL('/user')
    await expect.poll(() => open.size).toBe(1)
    await expect(page.getByRole('button', { name: /^Inbox/ })).toHaveCount(1)
    expect(open.size).toBe(1)
  })

  test('a refused request leaves the screen if the session has ended @release', async ({ page, context, instance }) => {
    const username = 'ended'
    await createTestUser(instance, username)
    await signInAs(context, instance.url, username)
    // A lost stream would make the screen poll, and notice before the click. So would the inbox if it loaded late.
    await page.route('**/api/v1/events*', () => {})
    const inbox = page.waitForResponse('**/api/v1/user/inbox*')
    await page.goto('/user')
    await inbox
    const bell = page.getByRole('button', { name: /^Inbox/ })
    await expect(bell).toBeVisible()
    await expect(page.getByText('ended@example.com', { exact: true })).toBeVisible()
    await endOtherSessions(instance, username)
    await bell.click()
    await expectSessionEnded(page)
  })

  test('a form with unsaved changes does not repeat refused requests', async ({ page, context, instance }) => {
    await createTestUser(instance, 'typist', { Tools: 1 })
    const data = { username: 'typist', password }
    await signInAs(context, instance.url, data.username)
    const elsewhere = await signedInClient(instance.url, data)
    const created = await elsewhere<{ id: string }>('POST', '/api/v1/keepalive/', {
      url: instance.target.url('/typed'),
    })
    const refused: string[] = []
    page.on('response', (answer) => {
      const { pathname } = new URL(answer.url())
      if (answer.status() === 401 && /keepalive|incidents/.test(pathname)) refused.push(pathname)
    })
    await page.clock.install()
    await page.goto(`/tools/keepalive/modify?id=${created.body.id}`)
    await page.getByLabel('Name').fill('Half typed')
    expect((await elsewhere('DELETE', '/api/v1/user/sessions?others=true')).status).toBe(200)
    await expect(page.getByRole('dialog', { name: "You've been signed out" })).toBeVisible()
    for (let minute = 0; minute < 4; minute += 1) {
      await page.clock.runFor(15_000)
      await page.evaluate(async () => void (await fetch('/healthz')))
    }
    expect(refused.filter((path, at) => refused.indexOf(path) !== at)).toEqual([])
  })
})

test.describe('fetched ahead', () => {
  test.use({ prefetches: true })
  test('a part that failed to load is reported only once it is needed @release', async ({
    page,
    allowConsoleErrors,
  }) => {
    allowConsoleErrors(/ERR_FAILED/)
    await page.route('**/assets/menu-popup-*.js', (route) => route.abort())
    const failed = page.waitForEvent('requestfailed')
    await page.goto('/')
    await failed
    await waitForPrefetch(page)
    await expect(toasts(page)).toHaveCount(0)
    const tools = page.getByRole('button', { name: 'Tools' })
    await tools.click()
    await expect(toasts(page, 'danger', 'Network Error')).toBeVisible()
    await expect(page.getByRole('menu')).toHaveCount(0)
    await page.unrouteAll()
    await tools.click()
    await expect(page.getByRole('menu')).toBeVisible()
  })
})

test('pages in the back/forward cache do not block others @release', async ({
  playwright,
  launchOptions,
  instance,
}) => {
  const browser = await playwright.chromium.launch({
    ...launchOptions,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
  const context = await browser.newContext({ baseURL: instance.url, storageState: instance.sessions.ada })
  const page = await context.newPage()
  // More pages than the six connections that a browser opens to a server.
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const live = page.waitForResponse(stream)
    await page.goto(`${list}?page=${n}`, { timeout: 60_000 })
    await live
  }
  // Don't go back: Playwright can hang on a page that is restored from this cache.
  await expect(page.getByRole('heading', { name: 'Keep Alive', exact: true })).toBeVisible()
  await browser.close()
})
