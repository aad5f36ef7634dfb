import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { expect, test } from './kit.ts'

const kilobyte = 1_000
const sum = (sizes: Iterable<number>) => [...sizes].reduce((total, size) => total + size, 0)

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
  // What is fetched ahead in an idle moment holds nobody up.
  await page.addInitScript('window.requestIdleCallback = () => 0')
  expect((await load(page)).length).toBeLessThanOrEqual(12)
})

test('the first screen takes at most 260 kB, with all that is fetched ahead', async ({ page }) => {
  expect(sum(await load(page)) / kilobyte).toBeLessThanOrEqual(260)
})

test('the program that the first screen needs is at most 150 kB packed', async ({ request }) => {
  const html = await (await request.get('/')).text()
  const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? '')
  expect(paths.length).toBeGreaterThan(0)
  const packed = await Promise.all(paths.map(async (path) => gzipSync(await (await request.get(path)).body()).length))
  expect(sum(packed) / kilobyte).toBeLessThanOrEqual(150)
})
