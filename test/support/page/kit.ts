import {
  type BrowserContext,
  test as base,
  type ConsoleMessage,
  type Locator,
  type Page,
  type WebError,
} from '@playwright/test'
import { password } from '../people.ts'
import { type House, openHouse } from './house.ts'
import { keepIntercepting, keepsToasts, type SharedContext, shareContext } from './shared-context.ts'
import { isStressed, slowDown } from './stress.ts'

type Visit = {
  /** Whose browser it is; nobody's when left out. */
  visitor: 'ada' | 'grace' | undefined
  /** What the console may complain of because the test provokes it. */
  provoked: RegExp[]
  /** Whether what may be needed later is fetched when the browser is idle, which costs every page load. */
  fetchesAhead: boolean
  /** What is announced turns up on every screen of the house: tests that announce share another one. */
  announces: boolean
}

/** What is opened once for all tests of a worker that ask for it by this name. */
type Kept = <T>(name: string, open: () => Promise<{ it: T; close: () => Promise<unknown> }>) => Promise<T>
/** A house that no test outside of those with this name enters. */
type HouseOf = (name: string, env?: Record<string, string>) => Promise<House>
type Own = {
  houseOf: HouseOf
  house: House
  sharedContext: SharedContext
  complaints: string[]
  /** Lets the console complain of this from now on, since the test provokes it. */
  provokes: ((...complaints: RegExp[]) => void) & { has: (complaint: string) => boolean }
  /** A browser of this user's own, signed in. It closes with the test. */
  browserOf: (username: string) => Promise<Page>
  holds: Holds
}
/** Says how ToolBox behaves and looks whether it does: a line of the report. One that is wrong hides none after it. */
export type Holds = (sentence: string, look: () => Promise<void>) => Promise<void>

/** A browser in front of ToolBox. Any complaint in the console fails the test: errors, broken policy, broken pages. */
export const test = base.extend<Visit & Own, { kept: Kept }>({
  visitor: [undefined, { option: true }],
  provoked: [[], { option: true }],
  fetchesAhead: [false, { option: true }],
  announces: [false, { option: true }],
  // The only fixture of a worker: each set of those would have workers, browsers and houses of its own.
  kept: [
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
  houseOf: async ({ kept, playwright }, use) => {
    const entered = new Set<House>()
    await use(async (name, env) => {
      const house = await kept(`house ${name}`, async () => {
        const opened = await openHouse(playwright.request, env)
        return { it: opened, close: opened.close }
      })
      await house.prove()
      entered.add(house)
      return house
    })
    for (const house of entered) await house.tidy()
  },
  house: async ({ houseOf, announces }, use) => use(await houseOf(announces ? 'announcing' : 'plain')),
  baseURL: ({ house }, use) => use(house.url),
  sharedContext: async (
    { browser, kept, house, fetchesAhead, viewport, isMobile, timezoneId, reducedMotion, colorScheme },
    use,
  ) => {
    // What Playwright has each new context be like, as the test at hand has set it.
    const like = JSON.stringify([house.url, fetchesAhead, viewport, isMobile, timezoneId, reducedMotion, colorScheme])
    const shared = await kept(`context ${like}`, async () => {
      const it = shareContext(browser, house.url, fetchesAhead)
      return { it, close: it.close }
    })
    await use(shared)
    await shared.empty()
  },
  context: async ({ sharedContext, house, visitor, permissions }, use) => {
    const context = await sharedContext.context()
    // The test before has given them back.
    if (permissions) await context.grantPermissions(permissions)
    if (visitor) await context.addCookies(house.sessions[visitor].cookies)
    const setFree = isStressed ? await slowDown(context) : undefined
    await use(context)
    // What a page still asks for would be answered by a test that is over.
    await Promise.all([context, ...context.pages()].map((one) => one.unrouteAll({ behavior: 'ignoreErrors' })))
    await setFree?.()
  },
  provokes: async ({ provoked }, use) => {
    const patterns = [...provoked]
    const has = (complaint: string) => patterns.some((pattern) => pattern.test(complaint))
    await use(Object.assign((...more: RegExp[]) => void patterns.push(...more), { has }))
  },
  complaints: [
    async ({ context, provokes, house }, use) => {
      const heard: string[] = []
      const hear = (message: ConsoleMessage) => {
        if (message.type() === 'error') heard.push(`${message.text()} (${message.location().url})`)
      }
      const hearError = (error: WebError) => void heard.push(String(error.error()))
      context.on('console', hear).on('weberror', hearError)
      await use(heard)
      context.off('console', hear).off('weberror', hearError)
      const isExpected = (text: string) => house.isAboutRemoved(text) || provokes.has(text)
      const unprovoked = heard.filter((text) => !isExpected(text))
      expect(unprovoked, 'complaints in the console').toEqual([])
    },
    { auto: true },
  ],
  browserOf: async ({ browser, house }, use) => {
    const opened: BrowserContext[] = []
    await use(async (username) => {
      // It would begin with the test's own session otherwise, which a sign-in would end.
      const storageState = { cookies: [], origins: [] }
      const context = await browser.newContext({ baseURL: house.url, storageState })
      opened.push(context)
      context.on('page', keepIntercepting)
      await context.addInitScript(keepsToasts)
      await signInAs(context, house.url, username)
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

/** Signs this browser in without the form. */
export async function signInAs({ request }: BrowserContext, url: string, username: string) {
  const answer = await request.post(`${url}/api/auth/sign-in/username`, { data: { username, password } })
  expect(answer.status()).toBe(200)
}

type Kind = 'danger' | 'success' | 'warning' | 'info'
/** The toasts on screen, of one kind and that say this when given: earlier ones may still stand there. */
export const toasts = (page: Page, kind?: Kind, words?: string | RegExp) =>
  page.locator(kind ? `[data-kind=${kind}]` : '[data-kind]', words === undefined ? {} : { hasText: words })

/** Waits until the page has fetched ahead what shows toasts, and these other parts, by the names of their files. */
export async function fetchedAhead(page: Page, ...parts: string[]) {
  const files = "performance.getEntriesByType('resource').map(({ name }) => name)"
  for (const part of parts)
    await expect
      .poll(async () => (await page.evaluate<string[]>(files)).some((name) => name.includes(`/assets/${part}-`)))
      .toBe(true)
  await expect(page.getByRole('region', { name: 'Notifications' })).toBeAttached()
}

/** The cells of these rows of a list in the column of this title. */
export const cellOf = (rows: Locator, column: string) => rows.locator(`[data-label="${column}"]`)

/** Goes to another address of ToolBox as its links do, without a load. */
export const go = (page: Page, path: string) => page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)

/** Loads this page and waits until it hears of what happens. */
export async function goLive(page: Page, path: string) {
  const stream = page.waitForResponse('**/api/v1/events*')
  await page.goto(path)
  await stream
}

/** Holds back what this screen asks for at such an address until the answer is called. */
export async function holdBack(page: Page, address: string | RegExp): Promise<() => void> {
  const free = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await free.promise
    // Whoever asked may have left.
    await route.continue().catch(() => {})
  })
  return free.resolve
}

/** Puts the tab behind, or in front again. */
export const turn = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)
