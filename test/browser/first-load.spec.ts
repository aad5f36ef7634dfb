import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { preloadHintsOf } from '../../src/preload-hints.ts'
import { tools } from '../../src/tools/index.ts'
import { expect, fetchedAhead, test, toasts } from '../support/page/kit.ts'

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

/** Sums up how far things moved on screen, as browsers score it: 0 is not at all. */
const watchShifts = `
  window.shifted = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) window.shifted += value
  }).observe({ type: 'layout-shift', buffered: true })`

/** Bytes over the wire of each request that was not answered by the browser itself, from now on. */
async function watchWire(page: Page): Promise<() => number[]> {
  const wire = new Map<string, number>()
  const cached = new Set<string>()
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  // Other tests of this worker have left the program there.
  await session.send('Network.clearBrowserCache')
  session.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId))
  session.on('Network.responseReceived', ({ requestId, response }) => response.fromDiskCache && cached.add(requestId))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => wire.set(requestId, encodedDataLength))
  return () => [...wire].flatMap(([id, size]) => (cached.has(id) ? [] : [size]))
}

/** The way from this file by its imports back to it. */
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

/** Counts the frames without what stands above every screen. */
const watchTopBar = `
  window.framesWithout = 0
  const look = () => {
    const root = document.getElementById('root')
    if (root && !root.querySelector('header')) window.framesWithout += 1
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)`
const phone = { width: 390, height: 844 }

/** Has a page hear of nothing that other tests did just before it. (A route would turn the browser's cache off.) */
const forgetBefore = (page: Page) =>
  page.addInitScript(`
    window.EventSource = class extends EventSource {
      constructor(url) {
        super(url.replace(/within=[0-9]+/, 'within=0'))
      }
    }`)

/** Loads Home over such a connection, as the browser describes it, and answers the names of the files it fetched. */
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
  // Its form names the channels that will be notified.
  { path: '/tools/keepalive/create', visitor: 'ada', requests: 18, bytes: 198 },
] as const)
  test.describe(visitor ? 'signed in' : 'signed out', () => {
    test.use({ visitor })
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

test('every screen begins with sources that the build knows', () => {
  const paths = ['/user', '/auth/signin', ...tools.flatMap(pathsOf)]
  const missing = paths.flatMap((path) => preloadHintsOf(path).sources.filter((source) => !(source in manifest)))
  expect(missing).toEqual([])
})

test('no file of the page imports itself by others, which would run before what they need', () => {
  expect(Object.keys(manifest).flatMap((file) => circleFrom(file)?.join(' → ') ?? [])).toEqual([])
})

test('what a page says its screen begins with is there, and comes over the wire once', async ({ page, request }) => {
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

test('what the HTML shows stays until there is a screen, however often redirected @release', async ({ page }) => {
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

test('a font that comes late is not asked for in a larger file @release', async ({ page }) => {
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

test.describe('a page that a member opens', () => {
  test.use({ visitor: 'ada' })

  for (const screen of ['viewlist', 'modify'])
    test(`names the very calls that its screen makes, to be made before it is there: ${screen}`, async ({
      page,
      house,
    }) => {
      const entry = { url: 'http://127.0.0.1:9/', status: false }
      const { id } = (await house.call<{ id: string }>('POST', '/api/v1/keepalive/', entry)).body
      const asked = new Set<string>()
      page.on('request', (request) => asked.add(request.url().replace(/^https?:..[^/]+/, '')))
      const [path, query] = [`/tools/keepalive/${screen}`, screen === 'modify' ? `?id=${id}` : '']
      await page.goto(path + query)
      await page.waitForLoadState('networkidle')
      const named = preloadHintsOf(path, new URLSearchParams(query)).guarded?.calls ?? []
      const own = [...asked].filter((address) => /^.api.v1.(keepalive(.list)?|incidents)[?]/.test(address))
      expect(own.toSorted()).toEqual(named.toSorted())
    })
})

test.describe('a list that a member opens', () => {
  test.use({ visitor: 'ada', provoked: [/EventSource|events/] })

  for (const { how, told, calls } of [
    { how: 'once', calls: 1 },
    { how: 'again if the stream cannot tell what was missed', told: 'event: missed\ndata: null\n\n', calls: 2 },
  ])
    test(`is asked for ${how} @release`, async ({ page }) => {
      // A busy machine may open the stream later than a page counts on.
      await page.addInitScript('{ const now = performance.now.bind(performance); performance.now = () => now() / 100 }')
      if (!told) await forgetBefore(page)
      else
        await page.route('**/api/v1/events?within=*', (route) =>
          route.fulfill({ contentType: 'text/event-stream', body: `retry: 600000\n\n${told}` }),
        )
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      const callsOf = (part: string) => asked.filter((url) => url.includes(part)).length
      const opened = page.waitForResponse('**/api/v1/events?within=*')
      await page.goto('/tools/keepalive/viewlist')
      await opened
      await expect(page.getByRole('table')).toBeVisible()
      await page.waitForLoadState('networkidle')
      await expect.poll(() => callsOf('/keepalive/list')).toBe(calls)
      expect(callsOf('/api/v1/events')).toBe(1)
    })
})

test.describe('with all that is fetched ahead', () => {
  test.use({ fetchesAhead: true })
  const ahead = ['menu-popup', 'sheet', 'toaster']

  test('the first screen takes at most 230 kB', async ({ page }) => {
    const wire = await watchWire(page)
    await page.goto('/')
    await fetchedAhead(page, ...ahead)
    expect(sum(wire()) / kilobyte).toBeLessThanOrEqual(230)
  })

  test('nothing on the first screens moves once it is there @release', async ({ page }) => {
    await page.addInitScript(watchShifts)
    for (const path of ['/', '/auth/signin/user', '/tools/analyticsbadge']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await fetchedAhead(page, ...ahead)
      expect(await page.evaluate('window.shifted'), path).toBeLessThan(0.01)
    }
  })
})

test('the program and the style that the first screen needs are small, and come compressed', async ({ request }) => {
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

test('what a later screen or popup brings is at most 40 kB packed each', () => {
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
  test.describe(fetchesAhead ? 'fetched ahead' : 'fetched when they are needed', () => {
    test.use({ visitor: 'ada', fetchesAhead, provoked: [/status of 404/] })

    test('menus, dialogs, toasts and the menu of a phone work @release', async ({ page, house }) => {
      const id = await house.entry('/ahead', { status: false })
      await page.goto(`/tools/keepalive/modify?id=${id}`)
      if (fetchesAhead) await fetchedAhead(page, 'menu-popup', 'sheet', 'confirm-modal')
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
