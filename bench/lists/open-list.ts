import { setTimeout as after } from 'node:timers/promises'
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import { type Milliseconds, minutes, seconds } from '../../src/shared/time.ts'
import { launchOptions } from '../../test/support/browser.ts'
import { median, quantile } from '../stage/measure.ts'
import { openScene, type Scene } from '../stage/scene.ts'
import { planTurns, seedEntries } from '../stage/seed.ts'
import { atMost, type Row } from '../table.ts'

type Size = {
  entries: number
  every: Milliseconds
  watched: Milliseconds
  shownWithin: Milliseconds
  kilobytes: number
}
/** `kilobytes` is the limit per minute: the weight of 200 changed rows and counts. */
const sizes: readonly Size[] = [
  { entries: 1_000, every: seconds(10), watched: seconds(20), shownWithin: 500, kilobytes: 300 },
  { entries: 10_000, every: minutes(28), watched: seconds(20), shownWithin: 700, kilobytes: 300 },
  { entries: 100_000, every: minutes(28), watched: minutes(1), shownWithin: 1_000, kilobytes: 300 },
]
const rounds = 5
/** The debounce of the search boxes in ms; only the time after it is measured. */
const debounce = 500
const filteredWithin = 300
const loopDelay = 25
const memory = 350

/** A list in a real browser while its entries are pinged: first rows, a filter, bytes received, cost to the server. */
export async function openList(): Promise<Row[]> {
  const rows: Row[] = []
  for (const size of sizes) {
    const scene = await openScene()
    const browser = await chromium.launch(launchOptions())
    try {
      rows.push(...(await measure(scene, size, () => browser.newContext({ bypassCSP: true }))))
    } finally {
      await browser.close()
      scene.close()
    }
  }
  return rows
}

async function measure(scene: Scene, size: Size, newContext: () => Promise<BrowserContext>): Promise<Row[]> {
  const { entries, every, watched } = size
  const ids = await scene.prepare(async (db) => {
    const seeded = await seedEntries(db, entries, scene.port)
    await db.q.updateTable('users').set({ roles: '{"Admin":0,"Tools":2}' }).execute()
    return seeded
  })
  const site = await scene.site()
  const cookie = await site.ask('signIn', 'owner')
  await site.ask('stop')
  await site.end()
  await scene.prepare((db) => planTurns(db, ids, Date.now() + seconds(4), every / entries))
  const server = await scene.server({ KEEPALIVE_EVERY: `${every}ms` })
  const visit = async () => {
    const context = await newContext()
    await context.addCookies([{ ...cookie, url: scene.siteUrl }])
    const page = await context.newPage()
    await page.addInitScript(watch)
    const received = await countBytes(page)
    await page.goto(`${scene.siteUrl}/tools/keepalive/viewlist`)
    const shown = await changed(page, '')
    return { page, shown, received, close: () => context.close() }
  }
  const shown: number[] = []
  const filtered: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { page, close, ...one } = await visit()
    shown.push(one.shown.at)
    await page.getByLabel('Search URL').fill('127.1.0.7:')
    filtered.push((await changed(page, one.shown.count)).sinceTyped - debounce)
    await close()
  }
  const { received, close } = await visit()
  // Wait for files that load at idle, which are not part of an open list's traffic.
  await after(seconds(3))
  received.reset()
  await server.measured()
  const health = await askHealth(scene.siteUrl, watched)
  const bytes = (received.bytes() * minutes(1)) / watched
  const { loop, rss } = await server.measured()
  await close()
  await server.end()
  const name = `${entries.toLocaleString('en')} entries`
  const pace = `${Math.round((entries * 1_000) / every)} pings a second meanwhile`
  return [
    atMost(`${name}: first rows, from navigation`, median(shown), size.shownWithin, 'ms', 'first visit, no cache'),
    atMost(`${name}: filtered by URL`, median(filtered), filteredWithin, 'ms', 'after its debounce'),
    atMost(`${name}: an open list, for a minute`, bytes / 1_000, size.kilobytes, 'kB', pace),
    atMost(`${name}: event loop delay p99 beside an open list`, loop, loopDelay, 'ms', pace),
    atMost(`${name}: /healthz p99 beside an open list`, quantile(health, 0.99), 50, 'ms', pace),
    atMost(`${name}: memory beside an open list`, rss / 1e6, memory, 'MB', 'the whole process'),
  ]
}

/** Runs in the page: records when the displayed row count last changed, and the time of the last input. */
const watch = `
  const seen = (window.seen = { count: '', at: 0, typed: 0 })
  const look = () => {
    const count = document.querySelector('nav[aria-label=Pages] > span')?.textContent ?? ''
    if (count !== seen.count && document.querySelector('tbody tr a, tbody tr button')) Object.assign(seen, { count, at: performance.now() })
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  addEventListener('input', () => { seen.typed = performance.now() }, true)
`

async function changed(page: Page, from: string) {
  await page.waitForFunction(`seen.count !== ${JSON.stringify(from)}`)
  return page.evaluate<{ count: string; at: Milliseconds; sinceTyped: Milliseconds }>(
    '({ count: seen.count, at: seen.at, sinceTyped: seen.at - seen.typed })',
  )
}

/** Counts the bytes that the page receives, in compressed form. */
async function countBytes(page: Page) {
  let bytes = 0
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  devtools.on('Network.dataReceived', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  return {
    bytes: () => bytes,
    reset: () => {
      bytes = 0
    },
  }
}

async function askHealth(url: string, lasting: Milliseconds): Promise<Milliseconds[]> {
  const took: Milliseconds[] = []
  const until = performance.now() + lasting
  while (performance.now() < until) {
    const began = performance.now()
    await (await fetch(`${url}/healthz`)).text()
    took.push(performance.now() - began)
    await after(50)
  }
  return took
}
