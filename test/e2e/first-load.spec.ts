import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/page/kit.ts'

const assets = new URL('../../dist/assets/', import.meta.url)
const kilobyte = 1_000
const packedSize = (file: Buffer) => gzipSync(file).length / kilobyte
const sum = (sizes: Iterable<number>) => [...sizes].reduce((total, size) => total + size, 0)

/** Sums up how far things moved on screen, as browsers score it: 0 is not at all. */
const watchShifts = `
  window.shifted = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) window.shifted += value
  }).observe({ type: 'layout-shift', buffered: true })`

/** Bytes over the wire of each request the home page makes until the network is quiet. */
async function load(page: Page): Promise<number[]> {
  const wire = new Map<string, number>()
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => wire.set(requestId, encodedDataLength))
  await page.goto('/')
  await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
  await page.waitForLoadState('networkidle')
  return [...wire.values()]
}

test('the first screen takes at most 12 requests', async ({ page }) => {
  expect((await load(page)).length).toBeLessThanOrEqual(12)
})

test.describe('with all that is fetched ahead', () => {
  test.use({ fetchesAhead: true })

  test('the first screen takes at most 260 kB', async ({ page }) => {
    const sizes = await load(page)
    expect(sum(sizes) / kilobyte).toBeLessThanOrEqual(260)
  })

  test('nothing on the first screens moves once it is there', async ({ page }) => {
    await page.addInitScript(watchShifts)
    for (const path of ['/', '/auth/signin/user', '/tools/analyticsbadge']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.waitForLoadState('networkidle')
      expect(await page.evaluate('window.shifted'), path).toBeLessThan(0.01)
    }
  })
})

for (const { what, ending, most } of [
  { what: 'program', ending: 'js', most: 150 },
  { what: 'style', ending: 'css', most: 16 },
])
  test(`the ${what} that the first screen needs is at most ${most} kB packed`, async ({ request }) => {
    const html = await (await request.get('/')).text()
    const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(\w+))"/g)]
    const needed = paths.flatMap(([, path = '', kind]) => (kind === ending ? [path] : []))
    expect(needed.length).toBeGreaterThan(0)
    const packed = await Promise.all(needed.map(async (path) => packedSize(await (await request.get(path)).body())))
    expect(sum(packed)).toBeLessThanOrEqual(most)
  })

test('files come compressed as the build laid them down', async ({ request }) => {
  const [, program = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(await (await request.get('/')).text()) ?? []
  for (const path of ['/', program])
    for (const encoding of ['br', 'gzip']) {
      const { 'content-encoding': packed } = (
        await request.get(path, { headers: { 'accept-encoding': encoding } })
      ).headers()
      expect([path, packed]).toEqual([path, encoding])
    }
})

test('what a later screen or popup brings is at most 50 kB packed each', () => {
  const chunks = readdirSync(assets).filter((name) => /^(?!index-).+\.js$/.test(name))
  expect(chunks.length).toBeGreaterThan(10)
  expect(chunks.filter((name) => packedSize(readFileSync(new URL(name, assets))) > 50)).toEqual([])
})
