import type { Page } from '@playwright/test'
import { fakeWeb } from '../../support/fakes/fake-web.ts'
import { expectUsable } from '../../support/page/accessibility.ts'
import { delayRequests, expect, test, toasts } from '../../support/page/kit.ts'
import { admin } from '../../support/process.ts'

const tool = '/tools/analyticsbadge'
const badge = '/api/v1/analyticsbadge'
const tag = (page: Page) => page.getByLabel('Analytics Tag')
const label = (page: Page) => page.getByLabel('Badge Label (optional)')
const url = (page: Page) => page.getByLabel('URL', { exact: true })
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' }).getByRole('img')

/** Whether the preview image has loaded and is valid. */
const isDrawn = (page: Page) =>
  preview(page).evaluate((image: object) => 'naturalWidth' in image && Number(image.naturalWidth) > 0)

/** Returns the view count so far. HEAD requests are not counted as views. */
const viewsOf = async (url: string, tag: string) =>
  Number((await fetch(`${url}${badge}/${tag}`, { method: 'HEAD' })).headers.get('x-views'))

/** Parses the SVG as strict XML and returns the name and role of its root. */
const read = (svg: string) => `
  const root = new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml').documentElement
  ;[root.nodeName, root.getAttribute('role')]`

test.describe('the badge page', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

  test('For a visitor', async ({ page, instance, holds }) => {
    const at = (path: string) => `${instance.url}${badge}/${path}`
    const headersCard = page.getByRole('region', { name: 'Headers' })
    await page.goto(tool)

    await holds("It needs no account; its title is 'ToolBox - Analytics Badge', with an explanation.", async () => {
      await expect(page).toHaveURL(tool)
      await expect(page).toHaveTitle('ToolBox - Analytics Badge')
      await expect(page.getByRole('main')).toContainText('An image that counts its views.')
    })
    await holds('The screen starts with a demo: tag demo, label Demo.', async () => {
      await expect(tag(page)).toHaveValue('demo')
      await expect(label(page)).toHaveValue('Demo')
    })
    await holds('The read-only URL consists of the badge path, the tag, and the label as a query.', async () => {
      await expect(url(page)).toHaveValue(at('demo?text=Demo'))
      await expect(url(page)).not.toBeEditable()
    })
    await holds('A preview shows the actual badge.', async () => {
      await expect(preview(page)).toHaveAttribute('src', `${badge}/demo?text=Demo`)
      await expect.poll(() => isDrawn(page)).toBe(true)
    })
    await test.step('each snippet can be copied to the clipboard', async () => {
      const url = at('demo?text=Demo')
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
        await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(text)
      }
    })
    await holds('Typing a tag strips all characters but letters, digits and underscores.', async () => {
      await tag(page).fill('')
      await tag(page).pressSequentially('m-y é.t/a?g_1!')
      await expect(tag(page)).toHaveValue('mytag_1')
      await expect(url(page)).toHaveValue(at('mytag_1?text=Demo'))
    })
    await holds('Clearing the tag has no effect: the old one stays until the next letter replaces it.', async () => {
      await tag(page).fill('')
      await expect(tag(page)).toHaveValue('mytag_1')
      await expect(url(page)).toHaveValue(at('mytag_1?text=Demo'))
      await tag(page).pressSequentially('next')
      await expect(tag(page)).toHaveValue('next')
    })
    await holds('Typing a label strips all but letters, digits, hyphens, underscores and spaces.', async () => {
      await label(page).fill('')
      await label(page).pressSequentially('Seen by: <you> - all_1?')
      await expect(label(page)).toHaveValue('Seen by you - all_1')
    })
    await holds('The label is encoded in the URL, and the preview follows.', async () => {
      await expect(url(page)).toHaveValue(at('next?text=Seen%20by%20you%20-%20all_1'))
      await expect(preview(page)).toHaveAttribute('src', `${badge}/next?text=Seen%20by%20you%20-%20all_1`)
      await expect.poll(() => isDrawn(page)).toBe(true)
    })
    await holds('Without a label there is no query.', async () => {
      await label(page).fill('')
      await expect(url(page)).toHaveValue(at('next'))
    })
    await holds('Copy to Clipboard copies the URL and confirms it, also by keyboard.', async () => {
      await url(page).press('Tab')
      await expect(page.getByRole('button', { name: 'Copy to Clipboard' })).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(toasts(page, 'info', `Copied ${at('next')}`)).toBeVisible()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(at('next'))
    })
    await holds('The screen explains X-Views, the view count, and X-Lastview, the time of the last view.', async () => {
      await expect(headersCard.locator('dt')).toHaveText(['X-Views', 'X-Lastview'])
      await expect(headersCard.locator('dd').nth(0)).toContainText('Total view count')
      await expect(headersCard.locator('dd').nth(1)).toContainText('Timestamp of the last view')
    })
    await test.step('the preview follows the options after a moment and never counts a view', async () => {
      const requestedUrls: string[] = []
      page.on('request', (request) => request.resourceType() === 'image' && requestedUrls.push(request.url()))
      await tag(page).press('End')
      await tag(page).pressSequentially('_previewed')
      await page.getByText('For the badge').click()
      await page.getByRole('group', { name: 'Color', exact: true }).getByLabel('blue').check({ force: true })
      const labelColor = page.getByRole('group', { name: 'Label color' }).getByLabel('Hexadecimal')
      await labelColor.fill('40x')
      await expect(page.getByRole('main').getByRole('alert')).toContainText('Enter three or six hexadecimal digits')
      await labelColor.fill('#4078c0')
      await page.getByRole('switch', { name: 'Abbreviated' }).check()
      const path = 'next_previewed?style=for-the-badge&color=blue&labelColor=4078c0&abbreviated=true'
      await expect(url(page)).toHaveValue(at(path))
      await expect(preview(page)).toHaveAttribute('src', `${badge}/${path}`)
      await expect.poll(() => isDrawn(page)).toBe(true)
      expect(requestedUrls.length).toBeLessThan(10)
      for (const one of ['demo', 'next', 'next_previewed']) expect(await viewsOf(instance.url, one), one).toBe(0)
      await expect(page.getByText('No views in the last 90 days.')).toBeVisible()
    })
  })
})

test('a badge on another site counts views, and the chart shows their sources @release', async ({ page, instance }) => {
  const html = `<!doctype html><title>Readme</title><img id="badge" src="${instance.url}${badge}/embedded" alt="">`
  const site = await fakeWeb()
  site.on('/*', { headers: { 'content-type': 'text/html' }, body: html })
  for (const views of [1, 2]) {
    await page.goto(`${site.origin}/`)
    await expect.poll(() => page.evaluate('badge.complete && badge.naturalWidth > 0')).toBe(true)
    expect(await viewsOf(instance.url, 'embedded')).toBe(views)
  }
  const headers = await page.evaluate(
    `fetch('${instance.url}${badge}/embedded').then(({ headers }) => [headers.get('x-views'), headers.get('x-lastview')])`,
  )
  expect(headers).toEqual(['3', expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)])
  await site.close()

  await fetch(`${instance.url}${badge}/embedded`, { headers: { 'user-agent': 'github-camo (0)' } })
  await page.goto(tool)
  await page.getByLabel('Analytics Tag').fill('embedded')
  const views = page.getByRole('region', { name: 'Views' })
  await expect(views).toContainText('4 views in total')
  await expect(views.getByRole('img')).toHaveAccessibleName(
    "Views of embedded in the last 90 days: GitHub's image proxy 1, Other 3",
  )
  expect(await viewsOf(instance.url, 'embedded')).toBe(4)
})

test('the browser parses every badge as well-formed XML, including error badges', async ({ page, instance }) => {
  await page.goto('about:blank')
  for (const path of [
    'drawn',
    'drawn?style=social&text=A-b',
    'drawn?style=plastic',
    'drawn?style=none',
    'a-b',
    '%E0%A4%A',
  ]) {
    const svg = await (await fetch(`${instance.url}${badge}/${path}`)).text()
    expect(await page.evaluate(read(svg)), path).toEqual(['svg', 'img'])
  }
})

test('the preview and the numbers update on each view without counting one', async ({ page, instance }) => {
  const tag = 'renews_itself'
  // Hold the stream until the first view has been counted.
  const begin = await delayRequests(page, '**/api/v1/badges/events**')
  await page.goto(`${tool}?tag=${tag}`)
  await expect.poll(() => isDrawn(page)).toBe(true)
  const views = page.getByRole('region', { name: 'Views', exact: true })
  for (const count of [1, 2]) {
    const drawnAnew = page.waitForResponse((answer) => answer.url().includes(`/${tag}?look=`))
    await fetch(`${instance.url}${badge}/${tag}`)
    begin()
    await expect(views).toContainText(count === 1 ? '1 view in total' : '2 views in total')
    expect((await drawnAnew).headers()['x-views']).toBe(String(count))
  }
  expect(await viewsOf(instance.url, tag)).toBe(2)
})

test('without the event stream the page refreshes every minute @release', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 429 .*badges\/events/)
  const tag = 'without_stream'
  await page.route('**/api/v1/badges/events**', (route) => route.fulfill({ status: 429 }))
  await page.clock.install()
  await page.goto(`${tool}?tag=${tag}`)
  const views = page.getByRole('region', { name: 'Views', exact: true })
  await expect(views).toContainText('No views in the last 90 days.')
  await fetch(`${instance.url}${badge}/${tag}`)
  await page.clock.runFor(61_000)
  await expect(views).toContainText('1 view in total')
})

test('the URL keeps the badge, and copied tags link back to it @release', async ({ page, instance, context }) => {
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
  await expect(url(page)).toHaveValue(instance.url + path)
  await expect.poll(() => isDrawn(page)).toBe(true)
  await page.getByLabel('Analytics Tag').fill('another')
  await page.getByRole('link', { name: 'kept_tag' }).click()
  await expect(page).toHaveURL(`${tool}?tag=kept_tag`)
  await expect(url(page)).toHaveValue(`${instance.url}${badge}/kept_tag`)

  await test.step('the longest tag and label are accessible and do not scroll a phone sideways', async () => {
    const long = 'x'.repeat(64)
    await fetch(`${instance.url}${badge}/${long}`)
    await page.getByLabel('Analytics Tag').fill(long)
    await page.getByLabel('Badge Label (optional)').fill('y'.repeat(64))
    await expect(page.getByText('1 view in total')).toBeVisible()
    await page.evaluate('document.fonts.ready')
    await expectUsable(page, tool)
  })
})

test.describe('signed in', () => {
  test.use({ signedInAs: 'ada', allowedConsoleErrors: [/status of 40[03] .*analyticsbadge/] })

  test('a tag can be claimed on its page, changed, reset and released', async ({ page, instance }) => {
    await page.goto(`${tool}?tag=ada_own`)
    await page.getByRole('button', { name: 'Claim this tag' }).click()
    await expect(page.getByText('This tag is yours.')).toBeVisible()
    await page.getByRole('link', { name: 'Your badges' }).click()
    await expect(page).toHaveTitle('ToolBox - Your Badges')
    const row = page.getByRole('row', { name: /ada_own/ })
    const total = row.getByRole('cell').nth(2)
    await expect(total).toHaveText('0')
    await fetch(`${instance.url}${badge}/ada_own`)
    await expect(total).toHaveText('1')
    await expect(row.getByRole('img')).toHaveAccessibleName('Views of ada_own in the last 30 days: 1, at most 1 a day')

    await row.getByRole('button', { name: 'Edit ada_own' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Base').fill('1000')
    await dialog.getByRole('switch', { name: 'Hide the number' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(total).toHaveText('1,001')
    await expect(row).toContainText('Hidden')
    expect(await (await fetch(`${instance.url}${badge}/ada_own`)).text()).toContain('aria-label="views"')

    await row.getByRole('button', { name: 'Edit ada_own' }).click()
    await dialog.getByLabel('Base').fill('5')
    await dialog.getByLabel('Base').press('Enter')
    await expect(dialog.getByRole('alert')).toContainText("The base can't be lowered")
    await page.keyboard.press('Escape')

    await row.getByRole('button', { name: 'Reset ada_own' }).click()
    await expect(dialog).toContainText('Its 1,002 views, its base and its history are lost for good.')
    await dialog.getByRole('button', { name: 'Reset' }).click()
    await expect(total).toHaveText('0')
    await row.getByRole('button', { name: 'Release ada_own' }).click()
    await dialog.getByRole('button', { name: 'Release' }).click()
    await expect(page.getByText('No badges yet.')).toBeVisible()
    // The example is offered only while it would replace nothing.
    const example = page.getByRole('button', { name: 'Fill in an example' })
    await page.getByLabel('New tag').fill('typed')
    await expect(example).toHaveCount(0)
    await page.getByLabel('New tag').fill('')
    await example.click()
    await expect(page.getByLabel('New tag')).toHaveValue('my_project')
  })

  test('the response to an earlier reset leaves the dialog of another badge open', async ({ page, instance }) => {
    for (const name of ['reset_first', 'reset_next']) await instance.call('POST', `${badge}/${name}/claim`)
    await page.goto(`${tool}/badges`)
    const dialog = page.getByRole('dialog')
    const answer = await delayRequests(page, /analyticsbadge\/reset_first/)
    const sent = page.waitForRequest(/analyticsbadge\/reset_first/)
    await page.getByRole('button', { name: 'Reset reset_first' }).click()
    await dialog.getByRole('button', { name: 'Reset' }).click()
    await sent
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Reset reset_next' }).click()
    await expect(dialog).toContainText('reset_next')
    answer()
    await expect(toasts(page, 'success', 'Reset reset_first.')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Reset' })).toBeEnabled()
    await expect(dialog).toContainText('reset_next')
  })

  test('an invalid tag shows its error, and long tags fit @release', async ({ page, instance }) => {
    const long = 'claimed_'.repeat(8)
    await fetch(`${instance.url}${badge}/taken_by_views`)
    await page.goto(`${tool}/badges`)
    await page.getByLabel('New tag').fill('taken by_views')
    await expect(page.getByLabel('New tag')).toHaveValue('takenby_views')
    await page.getByLabel('New tag').fill('taken_by_views')
    await page.getByLabel('New tag').press('Enter')
    await expect(page.getByRole('region', { name: 'Claimed tags' }).getByRole('alert')).toContainText(
      'This tag already has views.',
    )
    const answer = await delayRequests(page, '**/claim')
    await page.getByLabel('New tag').fill(long)
    // The next tag can be typed before the response arrives, even before the page shows that the call is pending.
    await page.evaluate(`{
      const field = document.activeElement
      field.form.requestSubmit()
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'second')
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }`)
    answer()
    for (const tag of [long, 'second']) {
      await expect(toasts(page, 'success', `${tag} is yours.`)).toBeVisible()
      if (tag === long) await page.getByRole('button', { name: 'Claim', exact: true }).click()
    }
    await expect(page.getByRole('link', { name: long })).toBeVisible()
    await page.getByLabel('New tag').fill('taken_by_views')
    await page.getByLabel('Owner (optional)').fill('nobody@example.com')
    await page.getByRole('button', { name: 'Claim', exact: true }).click()
    await expect(page.getByRole('region', { name: 'Claimed tags' }).getByRole('alert')).toHaveText(
      'No user has this email.',
    )
    await page.getByLabel('Owner (optional)').fill(admin.email)
    await page.getByRole('button', { name: 'Claim', exact: true }).click()
    await expect(
      page
        .getByRole('row', { name: /taken_by_views/ })
        .getByRole('cell')
        .nth(2),
    ).toHaveText('1')
    await expectUsable(page, `${tool}/badges`)
    for (const tag of [long, 'second', 'taken_by_views']) await instance.call('DELETE', `${badge}/${tag}/claim`)
  })
})
