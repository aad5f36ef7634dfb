import type { Browser, BrowserContext, Page, Route } from '@playwright/test'

/** Turns on the browser's data saver, so that pages prefetch nothing. */
export const dataSaverScript =
  "Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true })"

/** Hides the server's Date header once a test has set the browser's clock, so that the page assumes equal clocks. */
const hideDateHeaderScript = `{
  const { getResponseHeader } = XMLHttpRequest.prototype
  XMLHttpRequest.prototype.getResponseHeader = function (name) {
    const isSet = !/native code/.test(Function.prototype.toString.call(Date))
    return isSet && name === 'date' ? null : getResponseHeader.call(this, name)
  }
}`

// Copied from `src/ui/toasts.ts`: importing it would require the page's types here.
const toastDuration = 10_000
/** Makes toasts stay longer than ten seconds, since a test on a busy machine may check later than that. */
export const longToastsScript = `{
  const { setTimeout } = window
  window.setTimeout = (act, wait, ...rest) => setTimeout(act, wait === ${toastDuration} ? 6 * wait : wait, ...rest)
}`

/** Installs a clock, and lets toasts stay longer again: it replaces the timer that the script above has changed. */
export async function installClock(page: Page) {
  await page.clock.install()
  await page.addInitScript(longToastsScript)
}

/** A context that a worker's tests share, each with new pages. Unlike `reuseContext`, it keeps the HTTP cache. */
export function shareContext(browser: Browser, url: string, fetchesAhead: boolean) {
  let opened: ReturnType<typeof open> | undefined
  return {
    context: async () => {
      opened ??= open(browser, url, fetchesAhead)
      return (await opened).context
    },
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
  const fetches: Promise<unknown>[] = []
  context.on('page', (page) => keepIntercepting(page, fetches))
  await context.addInitScript(hideDateHeaderScript)
  await context.addInitScript(longToastsScript)
  if (!fetchesAhead) await context.addInitScript(dataSaverScript)
  // Without this page, the renderer process would end with the last page of each test.
  const lasting = await context.newPage()
  await lasting.goto('/healthz')
  const session = await context.newCDPSession(lasting)
  return {
    context,
    /** Returns whether the context is like new; a changed clock can't be restored. */
    async empty(): Promise<boolean> {
      if (isClockSet()) return false
      await Promise.all(context.pages().flatMap((page) => (page === lasting ? [] : [leave(page)])))
      await Promise.allSettled(fetches.splice(0))
      // Once in thousands of times, clearing all types of storage never ended. The app uses no other type.
      await session.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'local_storage' })
      await context.clearCookies()
      await context.clearPermissions()
      await context.setOffline(false)
      return true
    },
  }
}

/** Closes a page. Requests outlive it for a moment and might still set cookies, so it cancels them first. */
async function leave(page: Page) {
  page.removeAllListeners('dialog')
  await page.goto('about:blank').catch(() => {})
  await page.close()
}

/**
 * When the last route of a page is removed, Chromium stops intercepting and may lose a request that it has just paused:
 * under load, 10 of 800 never reached a server. So once a page has a route, its context keeps one for an unused URL.
 * Requests that its routes send are added to `fetches`.
 */
export function keepIntercepting(page: Page, fetches: Promise<unknown>[] = []) {
  const { route } = page
  let interception: Promise<unknown> | undefined
  page.route = async (url, handle, options) => {
    interception ??= page.context().route('http://nobody.invalid/', (unasked) => unasked.abort())
    await interception
    return route.call(page, url, (held, request) => handle(recordFetches(held, fetches), request), options)
  }
}

function recordFetches(route: Route, fetches: Promise<unknown>[]): Route {
  const fetch = route.fetch.bind(route)
  route.fetch = <T>(...options: Parameters<Route['fetch']>) => {
    const response = fetch<T>(...options)
    fetches.push(response)
    return response
  }
  return route
}

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
