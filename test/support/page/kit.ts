import { test as base, type Locator, type Page } from '@playwright/test'
import { type House, openHouse } from './house.ts'

type Visit = {
  /** Whose browser it is; nobody's when left out. */
  visitor: 'ada' | 'grace' | undefined
  /** What the console may complain of because the test provokes it. */
  provoked: RegExp[]
  /** Whether what may be needed later is fetched when the browser is idle, which costs every page load. */
  fetchesAhead: boolean
}

/** A visitor who asked the browser to save data, for whom nothing is fetched ahead. */
const savesData = "Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true })"

/** A browser in front of ToolBox. Any complaint in the console fails the test: errors, broken policy, broken pages. */
export const test = base.extend<Visit & { complaints: string[] }, { house: House; announces: boolean }>({
  visitor: [undefined, { option: true }],
  provoked: [[], { option: true }],
  fetchesAhead: [false, { option: true }],
  context: async ({ context, fetchesAhead }, use) => {
    if (!fetchesAhead) await context.addInitScript(savesData)
    await use(context)
  },
  /** What is announced turns up on every screen of the house: tests that announce share another one. */
  announces: [false, { option: true, scope: 'worker' }],
  house: [
    async ({ playwright }, use) => {
      const house = await openHouse(playwright.request)
      await use(house)
      await house.close()
    },
    { scope: 'worker' },
  ],
  baseURL: ({ house }, use) => use(house.url),
  storageState: ({ house, visitor }, use) => use(visitor && house.sessions[visitor]),
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

/** The toasts on screen, of one kind when given. */
export const toasts = (page: Page, kind?: 'danger' | 'success' | 'warning' | 'info') =>
  page.locator(kind ? `[data-kind=${kind}]` : '[data-kind]')

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
