import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { barriers, fitsPhone } from '../../support/page/barriers.ts'
import { expect, test } from '../../support/page/kit.ts'

const tool = '/tools/analyticsbadge'
const badge = '/api/v1/analyticsbadge'

/** What was counted so far, asked in a way that does not count. */
const viewsOf = async (url: string, tag: string) =>
  Number((await fetch(`${url}${badge}/${tag}`, { method: 'HEAD' })).headers.get('x-views'))
const address = (page: Page) => page.getByLabel('URL', { exact: true })
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' }).getByRole('img')
/** The picture has arrived and is one. */
const isDrawn = (page: Page) =>
  preview(page).evaluate((image: object) => 'naturalWidth' in image && Number(image.naturalWidth) > 0)

test('the preview follows what is chosen, a moment later, and never counts', async ({ page, house, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const clipboard = () => page.evaluate('navigator.clipboard.readText()')
  const asked: string[] = []
  page.on('request', (request) => request.resourceType() === 'image' && asked.push(new URL(request.url()).pathname))
  await page.goto(tool)
  await expect.poll(() => isDrawn(page)).toBe(true)
  await test.step('each snippet goes to the clipboard', async () => {
    const url = `${house.url}${badge}/demo?text=Demo`
    for (const [name, text] of [
      ['Markdown', `![Demo](${url})`],
      ['HTML', `<img src="${url}" alt="Demo">`],
      ['reStructuredText', `.. image:: ${url}\n   :alt: Demo`],
      ['AsciiDoc', `image:${url}[Demo]`],
      [
        'Light and dark',
        `<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="${url}&amp;labelColor=30363d">\n  <img src="${url}" alt="Demo">\n</picture>`,
      ],
    ] as const) {
      await page.getByRole('button', { name: `Copy ${name}` }).click()
      await expect.poll(clipboard).toBe(text)
    }
  })
  await page.getByLabel('Analytics Tag').press('End')
  await page.getByLabel('Analytics Tag').pressSequentially('_previewed')
  await page.getByText('For the badge').click()
  await page.getByRole('group', { name: 'Color', exact: true }).getByLabel('blue').check({ force: true })
  const labelColor = page.getByRole('group', { name: 'Label color' }).getByLabel('Hexadecimal')
  await labelColor.fill('40x')
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Enter three or six hexadecimal digits')
  await labelColor.fill('#4078c0')
  await page.getByRole('switch', { name: 'Abbreviated' }).check()
  const path = `${badge}/demo_previewed?text=Demo&style=for-the-badge&color=blue&labelColor=4078c0&abbreviated=true`
  await expect(address(page)).toHaveValue(house.url + path)
  await expect(preview(page)).toHaveAttribute('src', path)
  await expect.poll(() => isDrawn(page)).toBe(true)
  expect(asked.length).toBeLessThan(10)
  expect([await viewsOf(house.url, 'demo'), await viewsOf(house.url, 'demo_previewed')]).toEqual([0, 0])
  await expect(page.getByText('No views in the last 90 days.')).toBeVisible()
})

test('a badge in a page of another site is shown there and counts, and the chart tells from where @release', async ({
  page,
  house,
}) => {
  const html = `<!doctype html><title>Readme</title><img id="badge" src="${house.url}${badge}/embedded" alt="">`
  const site = createServer((_request, answer) => answer.setHeader('content-type', 'text/html').end(html))
  await once(site.listen(0, '127.0.0.1'), 'listening')
  const readme = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  for (const views of [1, 2]) {
    await page.goto(readme)
    await expect.poll(() => page.evaluate('badge.complete && badge.naturalWidth > 0')).toBe(true)
    expect(await viewsOf(house.url, 'embedded')).toBe(views)
  }
  const told = await page.evaluate(
    `fetch('${house.url}${badge}/embedded').then(({ headers }) => [headers.get('x-views'), headers.get('x-lastview')])`,
  )
  expect(told).toEqual(['3', expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)])
  site.closeAllConnections()
  site.close()

  await fetch(`${house.url}${badge}/embedded`, { headers: { 'user-agent': 'github-camo (0)' } })
  await page.goto(tool)
  await page.getByLabel('Analytics Tag').fill('embedded')
  const views = page.getByRole('region', { name: 'Views' })
  await expect(views).toContainText('4 views in total')
  await expect(views.getByRole('img')).toHaveAccessibleName(
    "Views of embedded in the last 90 days: GitHub's image proxy 1, Other 3",
  )
  expect(await viewsOf(house.url, 'embedded')).toBe(4)
})

/** What a strict reader of XML finds in this text. */
const read = (svg: string) => `
  const root = new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml').documentElement
  ;[root.nodeName, root.getAttribute('role')]`

test('every picture is well-formed by the browser too, also one that says what is wrong', async ({ page, house }) => {
  await page.goto('about:blank')
  for (const path of [
    'drawn',
    'drawn?style=social&text=A-b',
    'drawn?style=plastic',
    'drawn?style=none',
    'a-b',
    '%E0%A4%A',
  ]) {
    const svg = await (await fetch(`${house.url}${badge}/${path}`)).text()
    expect(await page.evaluate(read(svg)), path).toEqual(['svg', 'img'])
  }
})

test('the picture and the numbers follow each view, and that counts nothing', async ({ page, house }) => {
  const tag = 'renews_itself'
  const { promise: seen, resolve: begin } = Promise.withResolvers<void>()
  // The first view comes before the stream has told anything.
  await page.route('**/api/v1/badges/events**', async (route) => {
    await seen
    await route.continue()
  })
  await page.goto(`${tool}?tag=${tag}`)
  await expect.poll(() => isDrawn(page)).toBe(true)
  const views = page.getByRole('region', { name: 'Views', exact: true })
  for (const count of [1, 2]) {
    const drawnAnew = page.waitForResponse((answer) => answer.url().includes(`/${tag}?look=`))
    await fetch(`${house.url}${badge}/${tag}`)
    begin()
    await expect(views).toContainText(count === 1 ? '1 view in total' : '2 views in total')
    expect((await drawnAnew).headers()['x-views']).toBe(String(count))
  }
  expect(await viewsOf(house.url, tag)).toBe(2)
})

test.describe('without a stream', () => {
  test.use({ provoked: [/status of 429 .*badges\/events/] })
  test('the page looks again every minute @release', async ({ page, house }) => {
    const tag = 'without_stream'
    await page.route('**/api/v1/badges/events**', (route) => route.fulfill({ status: 429 }))
    await page.clock.install()
    await page.goto(`${tool}?tag=${tag}`)
    await expect.poll(() => isDrawn(page)).toBe(true)
    await fetch(`${house.url}${badge}/${tag}`)
    await page.clock.runFor(61_000)
    await expect(page.getByRole('region', { name: 'Views', exact: true })).toContainText('1 view in total')
  })
})

test('the address keeps the badge, and tags that were copied lead back to it @release', async ({
  page,
  house,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(tool)
  await page.getByLabel('Analytics Tag').fill('kept_tag')
  await page.getByLabel('Badge Label (optional)').fill('')
  await page.getByText('Sparkline').click()
  await page.getByText('7 days', { exact: true }).click()
  await page.getByLabel('Logo (optional)').fill('GitHub')
  await expect(page).toHaveURL(`${tool}?tag=kept_tag&style=sparkline&period=7d&logo=github`)
  await page.getByRole('button', { name: 'Copy to Clipboard' }).click()
  await page.reload()
  const path = `${badge}/kept_tag?style=sparkline&period=7d&logo=github`
  await expect(address(page)).toHaveValue(house.url + path)
  await expect.poll(() => isDrawn(page)).toBe(true)
  await page.getByLabel('Analytics Tag').fill('another')
  await page.getByRole('link', { name: 'kept_tag' }).click()
  await expect(page).toHaveURL(`${tool}?tag=kept_tag`)
  await expect(address(page)).toHaveValue(`${house.url}${badge}/kept_tag`)

  await test.step('the longest tag and label are no barrier, nor scroll a phone sideways', async () => {
    const long = 'x'.repeat(64)
    await fetch(`${house.url}${badge}/${long}`)
    await page.getByLabel('Analytics Tag').fill(long)
    await page.getByLabel('Badge Label (optional)').fill('y'.repeat(64))
    await expect(page.getByText('1 view in total')).toBeVisible()
    await page.evaluate('document.fonts.ready')
    expect(await barriers(page)).toEqual([])
    await fitsPhone(page, tool)
  })
})
