import type { Browser, BrowserContext, Page } from '@playwright/test'

/** A visitor who asked the browser to save data, for whom nothing is fetched ahead. */
export const savesData =
  "Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true })"

/** Where a test sets the browser's clock, the server's is taken for the same. */
const keepsClock = `{
  const { getResponseHeader } = XMLHttpRequest.prototype
  XMLHttpRequest.prototype.getResponseHeader = function (name) {
    const isSet = !/native code/.test(Function.prototype.toString.call(Date))
    return isSet && name === 'date' ? null : getResponseHeader.call(this, name)
  }
}`

// As in `src/ui/toasts.ts`, which would bring the page's types here.
const toastDuration = 10_000
/** A toast closes by itself after ten seconds. A busy machine may look later than that, so in tests it stays for longer. */
export const keepsToasts = `{
  const { setTimeout } = window
  window.setTimeout = (act, wait, ...rest) => setTimeout(act, wait === ${toastDuration} ? 6 * wait : wait, ...rest)
}`

/**
 * A browser context for the tests of a worker in turn, each with new pages: Playwright's own way to use one again
 * (`reuseContext`) loads three pages between two tests, and forgets the program, which this one keeps in its HTTP cache.
 */
export function shareContext(browser: Browser, url: string, fetchesAhead: boolean) {
  let opened: ReturnType<typeof open> | undefined
  return {
    context: async () => {
      opened ??= open(browser, url, fetchesAhead)
      return (await opened).context
    },
    /** Takes back what a test left in it. */
    async empty() {
      if (!(await (await opened)?.empty())) await close()
    },
    close,
  }
  async function close() {
    await (await opened)?.context.close()
    opened = undefined
  }
}
export type SharedContext = ReturnType<typeof shareContext>

async function open(browser: Browser, url: string, fetchesAhead: boolean) {
  const context = await browser.newContext({ baseURL: url })
  const isClockSet = watchClock(context)
  context.on('page', keepIntercepting)
  await context.addInitScript(keepsClock)
  await context.addInitScript(keepsToasts)
  if (!fetchesAhead) await context.addInitScript(savesData)
  // Without it, the process that draws pages would end with the last page of each test.
  const lasting = await context.newPage()
  await lasting.goto('/healthz')
  const session = await context.newCDPSession(lasting)
  return {
    context,
    /** Answers whether the context is as new; what was done to its clock cannot be taken back. */
    async empty(): Promise<boolean> {
      if (isClockSet()) return false
      await Promise.all(context.pages().flatMap((page) => (page === lasting ? [] : [page.close()])))
      await session.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'all' })
      await context.clearCookies()
      await context.clearPermissions()
      await context.setOffline(false)
      return true
    },
  }
}

/**
 * When the last route of a page ends, Chromium no longer stops requests, and may lose one that it has just stopped: under
 * load 10 of 800, which no server saw. So whatever page has a route, its context keeps one, of an address that nobody
 * asks for.
 */
export function keepIntercepting(page: Page) {
  const { route } = page
  let kept: Promise<unknown> | undefined
  page.route = async (...args) => {
    kept ??= page.context().route('http://nobody.invalid/', (unasked) => unasked.abort())
    await kept
    return route.apply(page, args)
  }
}

/** Tells whether anybody has used the clock of this context. */
function watchClock(context: BrowserContext): () => boolean {
  let isSet = false
  const clock = new Proxy(context.clock, {
    get(real, name) {
      isSet = true
      const member: unknown = Reflect.get(real, name)
      return typeof member === 'function' ? member.bind(real) : member
    },
  })
  Object.assign(context, { clock })
  return () => isSet
}
