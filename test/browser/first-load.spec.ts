import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { preloadHintsOf } from '../../src/preload-hints.ts'
import { tools } from '../../src/tools/index.ts'
import { expect, test, toasts, waitForPrefetch } from '../support/page/kit.ts'

type Chunk = { imports?: string[] }

const manifest: Record<string, Chunk> = JSON.parse(
  readFileSync(new URL('../../dist/.vite/manifest.json', import.meta.url), 'utf8'),
)

const assets = new URL('../../dist/assets/', import.meta.url)
const kilobyte = 1_000
const packedSize = (file: Buffer) => brotliCompressSync(file).length / kilobyte
const sum = (sizes: Iterable<number>) => [...sizes].reduce((total, size) => total + size, 0)
const pathsOf = ({ id, kind }: (typeof tools)[number]) =>
  (kind === 'page' ? [''] : ['', '/create', '/modify', '/viewlist']).map((screen) => `/tools/${id}${screen}`)

/** Sums up the layout shift scores of the browser; 0 means that nothing moved. */
const watchShifts = `
  window.shifted = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) window.shifted += value
  }).observe({ type: 'layout-shift', buffered: true })`

/** Returns a function for the bytes over the wire of each request since then that missed the browser cache. */
async function watchWire(page: Page): Promise<() => number[]> {
  const wire = new Map<string, number>()
  const cached = new Set<string>()
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  // Other tests of this worker have cached the scripts.
  await session.send('Network.clearBrowserCache')
  session.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId))
  session.on('Network.responseReceived', ({ requestId, response }) => response.fromDiskCache && cached.add(requestId))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => wire.set(requestId, encodedDataLength))
  return () => [...wire].flatMap(([id, size]) => (cached.has(id) ? [] : [size]))
}

/** Returns an import cycle from this file back to itself, if there is one. */
function circleFrom(start: string): string[] | undefined {
  const ways = [[start]]
  const seen = new Set<string>()
  for (const way of ways)
    for (const next of manifest[way.at(-1) ?? '']?.imports ?? []) {
      if (next === start) return [...way, start]
      if (!seen.has(next)) ways.push([...way, next])
      seen.add(next)
    }
  return undefined
}

const watchTopBar = `
  window.framesWithout = 0
  const look = () => {
    const root = document.getElementById('root')
    if (root && !root.querySelector('header')) window.framesWithout += 1
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)`
const phone = { width: 390, height: 844 }

/** Keeps the stream from replaying events of earlier tests. (A route would disable the browser cache.) */
const forgetBefore = (page: Page) =>
  page.addInitScript(`
    window.EventSource = class extends EventSource {
      constructor(url) {
        super(url.replace(/within=[0-9]+/, 'within=0'))
      }
    }`)

async function homeOver(page: Page, connection: object | undefined) {
  const files: string[] = []
  page.on('request', (request) => files.push(new URL(request.url()).pathname))
  await page.addInitScript(
    `Object.defineProperty(navigator, 'connection', { value: ${JSON.stringify(connection)}, configurable: true })`,
  )
  await page.clock.install()
  await page.goto('/')
  await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
  await page.clock.runFor(10_000)
  await page.waitForLoadState('networkidle')
  return files
}

for (const { path, visitor, requests, bytes } of [
  { path: '/', requests: 10, bytes: 140 },
  { path: '/auth/signin/user', requests: 10, bytes: 150 },
  { path: '/tools/analyticsbadge', requests: 16, bytes: 175 },
  // The form also loads the channels to notify.
  { path: '/tools/keepalive/create', visitor: 'ada', requests: 18, bytes: 198 },
] as const)
  test.describe(visitor ? 'signed in' : 'signed out', () => {
    test.use({ signedInAs: visitor })
    test(`${path} takes at most ${requests} requests and ${bytes} kB`, async ({ page }) => {
      await forgetBefore(page)
      const wire = await watchWire(page)
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.waitForLoadState('networkidle')
      expect(wire().length).toBeLessThanOrEqual(requests)
      expect(sum(wire()) / kilobyte).toBeLessThanOrEqual(bytes)
    })
  })

test('the preload hints of every screen name only sources of the build', () => {
  const paths = ['/user', '/auth/signin', ...tools.flatMap(pathsOf)]
  const missing = paths.flatMap((path) => preloadHintsOf(path).sources.filter((source) => !(source in manifest)))
  expect(missing).toEqual([])
})

test('no import cycle lets a file of the page run before its imports', () => {
  expect(Object.keys(manifest).flatMap((file) => circleFrom(file)?.join(' → ') ?? [])).toEqual([])
})

test('the files that a page preloads exist and are loaded once', async ({ page, request }) => {
  for (const path of ['/tools/analyticsbadge', '/auth/signin/user']) {
    const wire = await watchWire(page)
    const { link = '' } = (await page.goto(path))?.headers() ?? {}
    const named = [...link.matchAll(/<([^>]+)>/g)].map(([, address = '']) => address)
    expect(named.length).toBeGreaterThan(3)
    await page.waitForLoadState('networkidle')
    for (const address of named) expect((await request.get(address)).status(), address).toBe(200)
    expect(wire().length).toBeLessThanOrEqual(named.length + 12)
  }
})

test('the header in the HTML stays until the first screen, even after redirects @release', async ({ page }) => {
  await page.addInitScript(watchTopBar)
  for (const [what, delay] of [
    ['**/api/v1/auth/session', 250],
    ['**/api/v1/config', 600],
    ['**/assets/signin-*.js', 600],
  ] as const)
    await page.route(what, async (route) => {
      await setTimeout(delay)
      await route.continue()
    })
  await page.goto('/user')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in to ToolBox')
  expect(await page.evaluate('window.framesWithout')).toBe(0)
})

test('a slow font does not cause a request for its larger file @release', async ({ page }) => {
  const fonts: string[] = []
  await page.route('**/*.woff2', async (route) => {
    fonts.push(route.request().url())
    await page.waitForTimeout(500)
    await route.continue()
  })
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(fonts).toEqual([expect.stringContaining('hanken-grotesk-basic')])
})

test.describe('a page opened by a user', () => {
  test.use({ signedInAs: 'ada' })

  for (const screen of ['viewlist', 'modify'])
    test(`preloads exactly the calls that its screen makes: ${screen}`, async ({ page, instance }) => {
      const entry = { url: 'http://127.0.0.1:9/', status: false }
      const { id } = (await instance.call<{ id: string }>('POST', '/api/v1/keepalive/', entry)).body
      const addresses = new Set<string>()
      page.on('request', (request) => addresses.add(request.url().replace(/^https?:..[^/]+/, '')))
      const [path, query] = [`/tools/keepalive/${screen}`, screen === 'modify' ? `?id=${id}` : '']
      await page.goto(path + query)
      await page.waitForLoadState('networkidle')
      const named = preloadHintsOf(path, new URLSearchParams(query)).guarded?.calls ?? []
      const own = [...addresses].filter((address) => /^.api.v1.(keepalive(.list)?|incidents)[?]/.test(address))
      expect(own.toSorted()).toEqual(named.toSorted())
    })
})

test.describe('a list opened by a user', () => {
  test.use({ signedInAs: 'ada', allowedConsoleErrors: [/EventSource|events/] })

  for (const { description, eventText, calls } of [
    { description: 'once', calls: 1 },
    { description: 'again if the stream reports missed events', eventText: 'event: missed\ndata: null\n\n', calls: 2 },
  ])
    test(`is requested ${description} @release`, async ({ page }) => {
      // Slow the page's clock down: a busy machine may open the stream later than the page allows for.
      await page.addInitScript('{ const now = performance.now.bind(performance); performance.now = () => now() / 100 }')
      if (!eventText) await forgetBefore(page)
      else
        await page.route('**/api/v1/events?within=*', (route) =>
          route.fulfill({ contentType: 'text/event-stream', body: `retry: 600000\n\n${eventText}` }),
        )
      const requestedUrls: string[] = []
      page.on('request', (request) => requestedUrls.push(request.url()))
      const callsOf = (part: string) => requestedUrls.filter((url) => url.includes(part)).length
      const opened = page.waitForResponse('**/api/v1/events?within=*')
      await page.goto('/tools/keepalive/viewlist')
      await opened
      await expect(page.getByRole('table')).toBeVisible()
      await page.waitForLoadState('networkidle')
      await expect.poll(() => callsOf('/keepalive/list')).toBe(calls)
      expect(callsOf('/api/v1/events')).toBe(1)
    })
})

test.describe('with all parts fetched ahead', () => {
  test.use({ prefetches: true })
  const ahead = ['menu-popup', 'sheet', 'toaster']

  test('the first screen takes at most 230 kB', async ({ page }) => {
    const wire = await watchWire(page)
    await page.goto('/')
    await waitForPrefetch(page, ...ahead)
    expect(sum(wire()) / kilobyte).toBeLessThanOrEqual(230)
  })

  test('the first screens do not shift after they appear @release', async ({ page }) => {
    await page.addInitScript(watchShifts)
    for (const path of ['/', '/auth/signin/user', '/tools/analyticsbadge']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await waitForPrefetch(page, ...ahead)
      expect(await page.evaluate('window.shifted'), path).toBeLessThan(0.01)
    }
  })
})

test('the first screen needs at most 105 kB of scripts and 7 kB of styles, compressed', async ({ request }) => {
  const html = await (await request.get('/')).text()
  const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(\w+))"/g)]
  for (const { ending, most } of [
    { ending: 'js', most: 105 },
    { ending: 'css', most: 7 },
  ]) {
    const needed = files.flatMap(([, path = '', kind]) => (kind === ending ? [path] : []))
    expect(needed.length).toBeGreaterThan(0)
    const packed = await Promise.all(needed.map(async (path) => packedSize(await (await request.get(path)).body())))
    expect.soft(sum(packed), `kB of ${ending}`).toBeLessThanOrEqual(most)
  }
  const [, program = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(html) ?? []
  for (const path of ['/', program])
    for (const encoding of ['br', 'gzip']) {
      const answer = await request.get(path, { headers: { 'accept-encoding': encoding } })
      expect([path, answer.headers()['content-encoding']]).toEqual([path, encoding])
    }
})

test('each script of a later screen or popup is at most 40 kB compressed', () => {
  const chunks = readdirSync(assets).filter((name) => /^(?!index-).+\.js$/.test(name))
  expect(chunks.length).toBeGreaterThan(10)
  expect(chunks.filter((name) => packedSize(readFileSync(new URL(name, assets))) > 40)).toEqual([])
})

for (const connection of [{ saveData: true, effectiveType: '4g' }, { effectiveType: '3g' }, { effectiveType: '2g' }])
  test(`nothing is fetched ahead over ${JSON.stringify(connection)} @release`, async ({ page }) => {
    const files = await homeOver(page, connection)
    expect(files.filter((path) => /popup|sheet|toaster|modal/.test(path))).toEqual([])
  })

for (const connection of [undefined, { saveData: false, effectiveType: '4g' }])
  test(`menus and toasts are fetched ahead over ${JSON.stringify(connection)} @release`, async ({ page }) => {
    const files = await homeOver(page, connection)
    for (const part of ['menu-popup', 'sheet', 'toaster'])
      await expect.poll(() => files.some((path) => path.startsWith(`/assets/${part}-`)), { message: part }).toBe(true)
  })

for (const fetchesAhead of [false, true])
  test.describe(fetchesAhead ? 'fetched ahead' : 'fetched on demand', () => {
    test.use({ signedInAs: 'ada', prefetches: fetchesAhead, allowedConsoleErrors: [/status of 404/] })

    test('menus, dialogs, toasts and the phone menu work @release', async ({ page, instance }) => {
      const id = await instance.entry('/ahead', { status: false })
      await page.goto(`/tools/keepalive/modify?id=${id}`)
      if (fetchesAhead) await waitForPrefetch(page, 'menu-popup', 'sheet', 'confirm-modal')
      await page.getByRole('button', { name: 'Tools' }).click()
      await page.getByRole('menuitem', { name: 'Keep Alive' }).press('Escape')
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
      await expect(toasts(page, 'success')).toBeVisible()
      await page.setViewportSize(phone)
      await page.getByRole('button', { name: 'Menu' }).click()
      await expect(page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Keep Alive' })).toBeVisible()
    })
  })
