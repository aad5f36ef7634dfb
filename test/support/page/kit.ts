import { Agent } from 'node:http'
import {
  type BrowserContext,
  test as base,
  type ConsoleMessage,
  type Locator,
  type Page,
  type WebError,
} from '@playwright/test'
import { password } from '../people.ts'
import { type Instance, startInstance } from './instance.ts'
import { keepIntercepting, longToastsScript, type SharedContext, shareContext } from './shared-context.ts'
import { isStressed, slowDown } from './stress.ts'

// Playwright keeps the connections of its own requests open. The server may close one that was idle for long just as
// the next request is sent, which fails here (ECONNRESET), whereas a browser sends it again.
Agent.prototype.keepSocketAlive = () => false

type TestOptions = {
  /** The signed-in user of the browser; undefined for a signed-out visitor. */
  signedInAs: 'ada' | 'grace' | undefined
  /** Console errors that the test provokes and that are therefore allowed. */
  allowedConsoleErrors: RegExp[]
  /** Whether the page prefetches files when idle, which slows every page load down. */
  prefetches: boolean
  /** Whether the test makes announcements. These appear on every screen, so such tests share a separate house. */
  makesAnnouncements: boolean
}

/** Opens a resource once per worker and name; all tests of the worker share it. */
type OpenOnce = <T>(name: string, open: () => Promise<{ it: T; close: () => Promise<unknown> }>) => Promise<T>
/** A house that only tests requesting this name use. */
type InstanceFor = (name: string, env?: Record<string, string>) => Promise<Instance>
type TestFixtures = {
  instanceFor: InstanceFor
  instance: Instance
  sharedContext: SharedContext
  consoleErrors: string[]
  allowConsoleErrors: ((...complaints: RegExp[]) => void) & { has: (complaint: string) => boolean }
  /** A separate browser, signed in as this user. It closes with the test. */
  openBrowserAs: (username: string) => Promise<Page>
  holds: Holds
}
/** Checks one statement about ToolBox: a line of the report. A failure does not skip the statements after it. */
export type Holds = (sentence: string, look: () => Promise<void>) => Promise<void>

/** A browser at ToolBox. Any console error fails the test, including policy violations and failed requests. */
export const test = base.extend<TestOptions & TestFixtures, { openOnce: OpenOnce }>({
  signedInAs: [undefined, { option: true }],
  allowedConsoleErrors: [[], { option: true }],
  prefetches: [false, { option: true }],
  makesAnnouncements: [false, { option: true }],
  // The only worker fixture: each other set of worker fixtures would get separate workers, browsers and houses.
  openOnce: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names in the braces
    async ({}, use) => {
      const opened = new Map<string, Promise<{ it: unknown; close: () => Promise<unknown> }>>()
      await use(async <T>(name: string, open: () => Promise<{ it: T; close: () => Promise<unknown> }>) => {
        const opening = opened.get(name) ?? open()
        opened.set(name, opening)
        return (await opening).it as T
      })
      for (const opening of [...opened.values()].reverse()) await (await opening).close()
    },
    { scope: 'worker' },
  ],
  instanceFor: async ({ openOnce, playwright }, use) => {
    const entered = new Set<Instance>()
    await use(async (name, env) => {
      const instance = await openOnce(`house ${name}`, async () => {
        const opened = await startInstance(playwright.request, env)
        return { it: opened, close: opened.close }
      })
      await instance.renewReauthentication()
      entered.add(instance)
      return instance
    })
    for (const instance of entered) await instance.cleanUp()
  },
  instance: async ({ instanceFor, makesAnnouncements: announces }, use) =>
    use(await instanceFor(announces ? 'announcing' : 'plain')),
  baseURL: ({ instance }, use) => use(instance.url),
  sharedContext: async (
    {
      browser,
      openOnce,
      instance,
      prefetches: fetchesAhead,
      viewport,
      isMobile,
      timezoneId,
      reducedMotion,
      colorScheme,
    },
    use,
  ) => {
    // The options that Playwright applies to each new context, as set by the current test.
    const like = JSON.stringify([
      instance.url,
      fetchesAhead,
      viewport,
      isMobile,
      timezoneId,
      reducedMotion,
      colorScheme,
    ])
    const shared = await openOnce(`context ${like}`, async () => {
      const it = shareContext(browser, instance.url, fetchesAhead)
      return { it, close: it.close }
    })
    await use(shared)
    await shared.empty()
  },
  context: async ({ sharedContext, instance, signedInAs: visitor, permissions }, use) => {
    const context = await sharedContext.context()
    // The previous test has cleared its permissions.
    if (permissions) await context.grantPermissions(permissions)
    if (visitor) await context.addCookies(instance.sessions[visitor].cookies)
    const setFree = isStressed ? await slowDown(context) : undefined
    await use(context)
    // Otherwise a finished test's routes would answer requests that pages still make.
    await Promise.all([context, ...context.pages()].map((one) => one.unrouteAll({ behavior: 'ignoreErrors' })))
    await setFree?.()
  },
  allowConsoleErrors: async ({ allowedConsoleErrors: provoked }, use) => {
    const patterns = [...provoked]
    const has = (complaint: string) => patterns.some((pattern) => pattern.test(complaint))
    await use(Object.assign((...more: RegExp[]) => void patterns.push(...more), { has }))
  },
  consoleErrors: [
    async ({ context, allowConsoleErrors, instance }, use) => {
      const errors: string[] = []
      const onConsole = (message: ConsoleMessage) => {
        if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
      }
      const onWebError = (error: WebError) => void errors.push(String(error.error()))
      context.on('console', onConsole).on('weberror', onWebError)
      await use(errors)
      context.off('console', onConsole).off('weberror', onWebError)
      const isExpected = (text: string) => instance.isAboutRemoved(text) || allowConsoleErrors.has(text)
      const unprovoked = errors.filter((text) => !isExpected(text))
      expect(unprovoked, 'complaints in the console').toEqual([])
    },
    { auto: true },
  ],
  openBrowserAs: async ({ browser, instance }, use) => {
    const opened: BrowserContext[] = []
    await use(async (username) => {
      // Starts without the test's session, which signing in would end.
      const storageState = { cookies: [], origins: [] }
      const context = await browser.newContext({ baseURL: instance.url, storageState })
      opened.push(context)
      context.on('page', keepIntercepting)
      await context.addInitScript(longToastsScript)
      await signInAs(context, instance.url, username)
      return context.newPage()
    })
    for (const context of opened) await context.close()
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names in the braces
  holds: async ({}, use, { annotations }) => {
    const wrong: string[] = []
    await use(async (sentence, look) => {
      const line = { type: 'holds', description: sentence }
      annotations.push(line)
      await base.step(sentence, look).catch((error: Error) => {
        line.type = 'open'
        wrong.push(`${sentence}\n${error.stack}`)
      })
    })
    if (wrong.length > 0) throw new Error(wrong.join('\n\n'))
  },
})
export const expect = test.expect

export async function signInAs({ request }: BrowserContext, url: string, username: string) {
  const answer = await request.post(`${url}/api/auth/sign-in/username`, { data: { username, password } })
  expect(answer.status()).toBe(200)
}

type Kind = 'danger' | 'success' | 'warning' | 'info'
/** The toasts on screen, optionally of one kind and with this text; earlier ones may still be there. */
export const toasts = (page: Page, kind?: Kind, words?: string | RegExp) =>
  page.locator(kind ? `[data-kind=${kind}]` : '[data-kind]', words === undefined ? {} : { hasText: words })

/** Waits until the page has prefetched the toast region and these other parts, given by file name. */
export async function waitForPrefetch(page: Page, ...parts: string[]) {
  const files = "performance.getEntriesByType('resource').map(({ name }) => name)"
  for (const part of parts)
    await expect
      .poll(async () => (await page.evaluate<string[]>(files)).some((name) => name.includes(`/assets/${part}-`)))
      .toBe(true)
  await expect(page.getByRole('region', { name: 'Notifications' })).toBeAttached()
}

export const cellOf = (rows: Locator, column: string) => rows.locator(`[data-label="${column}"]`)

/** Navigates within ToolBox as its links do, without a page load. */
export const navigate = (page: Page, path: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)

/** Waits until the page has drawn its current state. */
export const nextFrame = (page: Page) =>
  page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')

/** Loads this page and waits until it receives live events. */
export async function goLive(page: Page, path: string) {
  const stream = page.waitForResponse('**/api/v1/events*')
  await page.goto(path)
  await stream
}

/** Delays requests to this address until the returned function is called. */
export async function delayRequests(page: Page, address: string | RegExp): Promise<() => void> {
  const free = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await free.promise
    // The requesting page may have closed.
    await route.continue().catch(() => {})
  })
  return free.resolve
}

/** Sends the tab to the background, or brings it back. */
export const setVisibility = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)
