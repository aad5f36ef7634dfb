import { type BrowserContext, test as base, type Locator, type Page } from '@playwright/test'
import { type House, openHouse } from './house.ts'

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

/** A visitor who asked the browser to save data, for whom nothing is fetched ahead. */
export const savesData =
  "Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true })"

const spent = new WeakSet<Page>()
/** Has no later test use this page, which is not as it was. */
export const spend = (page: Page) => void spent.add(page)

/** Takes back what Playwright leaves to the next test of a context that is used again. */
async function leaveClean(context: BrowserContext) {
  for (const page of context.pages()) if (spent.has(page)) await page.close()
  await context.clearPermissions()
  await context.setOffline(false)
}

/** What is opened once for all tests of a worker that ask for it by this name. */
type Kept = <T>(name: string, open: () => Promise<{ it: T; close: () => Promise<unknown> }>) => Promise<T>
/** A house that no test outside of those with this name enters. */
type HouseOf = (name: string, env?: Record<string, string>) => Promise<House>

/** A browser in front of ToolBox. Any complaint in the console fails the test: errors, broken policy, broken pages. */
export const test = base.extend<Visit & { houseOf: HouseOf; house: House; complaints: string[] }, { kept: Kept }>({
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
  houseOf: ({ kept, playwright }, use) =>
    use(async (name, env) => {
      const house = await kept(`house ${name}`, async () => {
        const opened = await openHouse(playwright.request, env)
        return { it: opened, close: opened.close }
      })
      await house.prove()
      return house
    }),
  house: async ({ houseOf, announces }, use) => use(await houseOf(announces ? 'announcing' : 'plain')),
  baseURL: ({ house }, use) => use(house.url),
  context: async ({ context, house, visitor, permissions, fetchesAhead }, use) => {
    // The test before has given them back.
    if (permissions) await context.grantPermissions(permissions)
    // Not by a state of the context's own, for which Playwright would make another context.
    if (visitor) await context.addCookies(house.sessions[visitor].cookies)
    if (!fetchesAhead) await context.addInitScript(savesData)
    await use(context)
    await leaveClean(context)
  },
  complaints: [
    async ({ context, provoked, house }, use) => {
      const heard: string[] = []
      context.on('console', (message) => {
        if (message.type() === 'error') heard.push(`${message.text()} (${message.location().url})`)
      })
      context.on('weberror', (error) => heard.push(String(error.error())))
      await use(heard)
      const isExpected = (text: string) => house.isAboutRemoved(text) || provoked.some((pattern) => pattern.test(text))
      const unprovoked = heard.filter((text) => !isExpected(text))
      expect(unprovoked, 'complaints in the console').toEqual([])
    },
    { auto: true },
  ],
})
export const expect = test.expect

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
export const cellOf = (rows: Locator, column: string) => rows.locator(`td[data-label="${column}"]`)

/** Goes to another address of ToolBox as its links do, without a load. */
export const go = (page: Page, path: string) => page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)

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
