import type { Locator, Page } from '@playwright/test'
import pLimit from 'p-limit'
import { createEntryAtHost, unsaved, waitForFirstRun } from '../support/page/entry-tools.ts'
import { test as base, expect } from '../support/page/kit.ts'
import { createRelay, tool as relay } from '../support/page/relay.ts'
import { loadedTexts } from '../support/page/screens.ts'
import { dataSaverScript } from '../support/page/shared-context.ts'

/** Shows scrollbars, which Playwright hides. As an option of the file, this would start another worker and servers. */
const test = base.extend({
  context: async ({ playwright, launchOptions, instance }, use) => {
    const browser = await playwright.chromium.launch({ ...launchOptions, ignoreDefaultArgs: ['--hide-scrollbars'] })
    const context = await browser.newContext({ storageState: instance.sessions.ada })
    await context.addInitScript(dataSaverScript)
    await use(context)
    await browser.close()
  },
})

/** Records layout shifts of at least 0.0005: a fallback font's letter widths may move a word of a heading slightly. */
const watchShifts = `
  window.shifts = []
  const name = ({ node }) => (node?.outerHTML ?? node?.textContent ?? 'something').slice(0, 120)
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      if (value >= 0.0005) window.shifts.push(value.toFixed(4) + ' ' + sources.map(name).join(', '))
  }).observe({ type: 'layout-shift', buffered: true })`
const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Delays every response, and the fonts even more, so that the screen is first drawn without them. */
async function slowly(page: Page) {
  for (const [what, delay] of [
    [/\/api\/(?!v1\/events)/, 250],
    [/\.woff2$/, 600],
  ] as const)
    await page.route(what, async (route) => {
      await later(delay)
      // The page may have been closed.
      await route.continue().catch(() => {})
    })
}

/** Waits for this text, for pending requests, and for the fonts to be drawn. */
async function waitUntilDrawn(page: Page, sign: string) {
  await expect(page.getByText(sign).first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame))')
}

for (const { device, viewport, isMobile } of [
  { device: 'a phone', viewport: { width: 360, height: 740 }, isMobile: true },
  { device: 'a desktop', viewport: { width: 1280, height: 800 }, isMobile: false },
  { device: 'a wide desktop', viewport: { width: 1920, height: 1080 }, isMobile: false },
])
  test.describe(`on ${device}`, () => {
    test.use({ viewport, isMobile })

    test('nothing moves when responses arrive', async ({ context, instance }) => {
      const api = '/api/v1/ghmdinvalidator'
      const url = instance.github.page(`/owner/still-on-${viewport.width}`, [
        instance.github.image('https://a.example/b.svg'),
      ])
      const media = (await instance.call<{ id: string }>('POST', `${api}/`, { url })).body.id
      const ping = await instance.entry('/still')
      const hosted = await createEntryAtHost(instance, `calm-${viewport.width}.onrender.com`)
      const event = await createRelay(instance, instance.discord.webhook())
      await waitForFirstRun(instance, `${api}?id=${media}`)
      await waitForFirstRun(instance, `/api/v1/keepalive?id=${ping}`)
      const look = async (path: string, sign: string) => {
        const page = await context.newPage()
        await page.addInitScript(watchShifts)
        await slowly(page)
        await page.goto(path)
        await waitUntilDrawn(page, sign)
        const scrollbar = Number(await page.evaluate('innerWidth - document.documentElement.clientWidth'))
        expect.soft(scrollbar > 0, `room for a scrollbar at ${path}`).toBe(!isMobile)
        expect.soft(await page.evaluate('window.shifts'), path).toEqual([])
        await page.close()
      }
      const screens = [
        ...Object.entries(loadedTexts),
        ['/', 'Recent runs'],
        ['/tools/keepalive/create', 'Render'],
        ['/tools/keepalive/viewlist', '/still'],
        ['/tools/keepalive/viewlist', 'of 750 hours'],
        [`/tools/keepalive/modify?id=${ping}`, 'SUCCESS'],
        [`/tools/keepalive/modify?id=${hosted}`, 'of 750 hours'],
        [`${relay}/viewlist`, 'Waiting for first delivery'],
        [`${relay}/modify?id=${event.id}`, 'Waiting for the first delivery'],
        ['/tools/ghmdinvalidator/viewlist', 'owner/still'],
        [`/tools/ghmdinvalidator/modify?id=${media}`, 'Images in the last run'],
        ['/license', 'Permission is hereby granted'],
        ['/auth/error?error=AccessDenied', 'You need a role'],
      ] as const
      // Mostly waiting, so open two screens in parallel. Each has a stream, and all share six connections.
      const some = pLimit(2)
      await Promise.all(screens.map(([path, sign]) => some(() => look(path, sign))))
    })
  })

const typed = [
  ['/tools/keepalive/create', [['URL', 'app.onrender.com', 'Hosted by Render']]],
  [
    '/tools/analyticsbadge',
    [
      ['Analytics Tag', 'a_tag_of_my_own', 'Views: a_tag_of_my_own'],
      ['Badge Label (optional)', 'How many came by', 'How many came by'],
    ],
  ],
  [
    '/user/status',
    [
      ['Address', 'all-services', '/status/all-services'],
      ['Find your entries', 'nothing', 'None of your entries match.'],
    ],
  ],
] as const
for (const width of [360, 1280])
  for (const [path, steps] of typed)
    test(`nothing moves while typing at ${path}, ${width} px wide`, async ({ page, instance }) => {
      await instance.entry('/while-typing')
      await page.setViewportSize({ width, height: 740 })
      await page.addInitScript(watchShifts)
      await page.goto(path)
      await waitUntilDrawn(page, loadedTexts[path] ?? 'Render')
      await page.evaluate('window.shifts = []')
      for (const [label, text, sign] of steps) {
        const field = page.getByLabel(label, { exact: true })
        await field.selectText()
        await field.pressSequentially(text)
        await expect(page.getByRole('main')).toContainText(sign)
      }
      expect(await page.evaluate('window.shifts')).toEqual([])
    })

test('on a phone, the note of unsaved changes stands clear of the buttons and the form', async ({ page, instance }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const edges = async (element: Locator) => {
    const { y = 0, height = 0 } = (await element.boundingBox()) ?? {}
    return { top: y, bottom: y + height }
  }
  for (const path of [
    '/tools/keepalive/create',
    `/tools/keepalive/modify?id=${await instance.entry('/in-the-way', { status: false })}`,
  ]) {
    await page.goto(path)
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Changed')
    const note = await edges(unsaved(page))
    const buttons = await edges(page.getByRole('button', { name: 'Save', exact: true }))
    const form = await edges(page.locator('form > *', { has: name }))
    expect(note.top - buttons.bottom, path).toBeGreaterThanOrEqual(4)
    expect(form.top - note.bottom, path).toBeGreaterThanOrEqual(4)
  }
})
