import type { Page } from '@playwright/test'
import { pageStyle } from '../../../src/status/public/style.ts'
import { accessibilityViolations, expectFitsPhone, violations } from '../../support/page/accessibility.ts'
import { waitForFirstRun } from '../../support/page/entry-tools.ts'
import type { Instance } from '../../support/page/instance.ts'
import { delayRequests, expect, nextFrame, test, toasts } from '../../support/page/kit.ts'

test.use({ signedInAs: 'ada' })

const screen = '/user/status'
const api = '/api/v1/user/status'
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const services = (page: Page) => page.getByRole('list', { name: 'Services' }).getByRole('listitem')
const changedElsewhere = (page: Page) =>
  page.getByText("You changed this status page in another tab. The changes on this page aren't saved yet.")
const chosen = (page: Page) => page.getByRole('list', { name: 'Entries on the page, in order' }).getByRole('listitem')

async function named(instance: Instance, path: string, name: string | null) {
  const body = { url: instance.target.url(path), name, notifyAfter: 1 }
  return (await instance.call<{ id: string }>('POST', '/api/v1/keepalive/', body)).body.id
}

/** Like `accessibilityViolations`, for pages without the app's theme class. */
async function publicBarriers(page: Page) {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await violations(page)).map((line) => `${colorScheme} ${line}`))
  }
  return found
}

test('only the first 20 entries can be added together, and a search finds the others', async ({ page, instance }) => {
  for (let at = 1; at <= 21; at += 1) await instance.entry(`/one-of-many-${at}`, { status: false })
  await page.goto(screen)
  const find = page.getByLabel('Find your entries')
  await expect(button(page, 'Add the first 20')).toBeEnabled()
  // Until the results arrive, the list still shows those of the previous text.
  const answer = await delayRequests(page, '**/search?*')
  await find.fill('one-of-many-1')
  await expect(button(page, 'Add the first 20')).toBeDisabled()
  answer()
  await find.fill('')
  await button(page, 'Add the first 20').click()
  await expect(chosen(page)).toHaveCount(20)
  await expect(page.getByText('The first 20 are on the page. Type to find others.')).toBeVisible()
  await find.fill('one-of-many-1')
  // Enter belongs to the search: it doesn't save the page.
  await find.press('Enter')
  await button(page, /^Add .*one-of-many-1$/).click()
  await expect(chosen(page)).toHaveCount(21)
  await expect(page.getByText('All of these are on the page already.')).toBeVisible()
  await expect(toasts(page)).toHaveCount(0)
})

test('the focus stays with a moved row, and goes to the next row or the search after a removal', async ({
  page,
  instance,
}) => {
  for (const at of [1, 2, 3]) await named(instance, `/same-name-${at}`, 'Twin')
  await page.goto(screen)
  await page.getByLabel('Find your entries').fill('same-name-')
  await button(page, 'Add all 3').click()
  const inRow = (at: number, name: string) => chosen(page).nth(at).getByRole('button', { name, exact: true })
  const [up, down, remove] = ['Move Twin up', 'Move Twin down', 'Remove Twin'] as const
  await inRow(0, down).press('Enter')
  await expect(inRow(1, down)).toBeFocused()
  await inRow(1, up).press('Enter')
  await expect(inRow(0, down)).toBeFocused()
  await inRow(0, down).press('Enter')
  await inRow(1, down).press('Enter')
  await expect(inRow(2, up)).toBeFocused()
  await inRow(0, remove).press('Enter')
  await expect(inRow(0, remove)).toBeFocused()
  await inRow(1, remove).press('Enter')
  await expect(chosen(page)).toHaveCount(1)
  await expect(inRow(0, remove)).toBeFocused()
  await inRow(0, remove).press('Enter')
  await expect(page.getByLabel('Find your entries')).toBeFocused()
})

test('a public status page can be created, read, changed and deleted', async ({
  page,
  instance,
  browser,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of (?:400|404|409)/)
  const ids = [await named(instance, '/page-shop', 'Shop of Ada'), await named(instance, '/page-blog?key=1', null)]
  ids.push(await named(instance, '/page-secret', 'Nobody else'))
  for (const id of ids) await waitForFirstRun(instance, `/api/v1/keepalive?id=${id}`)

  await page.goto('/user')
  await page.getByRole('navigation', { name: 'Your account' }).getByRole('link', { name: 'Status Page' }).click()
  await expect(page).toHaveTitle('ToolBox - Status Page')
  await page.getByLabel('Address').fill('Ada & Co!')
  await expect(page.getByLabel('Address')).toHaveValue('ada--co')
  await expect(page.getByLabel('Address')).toHaveAccessibleDescription(`${instance.url}/status/ada--co`)
  await page.getByLabel('Title').fill('What Ada runs')
  await page.getByLabel('Text (optional)').fill('Ask at https://example.com/help.')
  await page.getByLabel('Find your entries').fill('page-')
  await button(page, 'Add Shop of Ada').click()
  await button(page, /^Add .*page-blog$/).click()
  await expect(chosen(page)).toHaveText([/Shop of Ada/, /page-blog/])
  await expect(chosen(page).nth(1).getByRole('textbox')).toHaveAttribute('placeholder', 'Entry 2')
  await page.getByLabel('Public name of Shop of Ada').fill('The shop')
  const preview = page.getByRole('region', { name: 'Preview' })
  await expect(preview).toContainText('What Ada runs')
  await expect(preview).toContainText('The shop')
  await expect(preview).not.toContainText('page-blog')
  const down = button(page, 'Move Shop of Ada down')
  await down.press('Enter')
  await expect(chosen(page)).toHaveText([/page-blog/, /Shop of Ada/])
  await expect(button(page, 'Move Shop of Ada up')).toBeEnabled()
  await page.getByLabel('Show the URL of Shop of Ada').check()
  expect(await accessibilityViolations(page)).toEqual([])
  await expectFitsPhone(page, screen)
  const answer = await delayRequests(page, '**/api/v1/user/status')
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await page.keyboard.press('Control+s')
  await sent
  await page.getByLabel('Text (optional)').fill('Ask at https://example.com/help. Typed meanwhile.')
  answer()
  const successToast = (words: string) => toasts(page, 'success', words)
  await expect(successToast('Your status page is public now.')).toBeVisible()
  await expect(button(page, 'Delete')).toBeVisible()
  await expect(page.getByLabel('Text (optional)')).toHaveValue(/Typed meanwhile\.$/)
  await expect(page.getByText('Unsaved changes')).toBeVisible()

  const opening = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Open page' }).click()
  await expect(await opening).toHaveTitle('What Ada runs')
  const stranger = await browser.newContext({ baseURL: instance.url, javaScriptEnabled: true })
  const publicPage = await stranger.newPage()
  await publicPage.goto('/status/ada--co')
  await expect(publicPage.getByRole('heading', { level: 1 })).toHaveText('What Ada runs')
  await expect(services(publicPage)).toHaveText([/Entry 1.*Operational/s, /The shop.*Operational/s])
  await expect(publicPage.getByRole('link', { name: 'example.com/help' })).toBeVisible()
  await expect(publicPage.getByRole('link', { name: /page-shop/ })).toHaveAttribute(
    'href',
    instance.target.url('/page-shop'),
  )
  expect(await publicPage.content()).not.toMatch(/page-blog|page-secret|Nobody else|Shop of Ada/)
  expect(await publicBarriers(publicPage)).toEqual([])
  await expectFitsPhone(publicPage, '/status/ada--co')

  await page.getByLabel('Address').fill('admin')
  await button(page, 'Save').click()
  await expect(page.getByLabel('Address')).toHaveAccessibleDescription(/reserved/)
  await page.getByLabel('Address').fill('ada')
  await button(page, /^Remove .*page-blog$/).click()
  await button(page, 'Save').click()
  await expect(successToast('Successfully updated status page.')).toBeVisible()
  await publicPage.goto('/status/ada')
  await expect(services(publicPage)).toHaveText([/The shop/])
  expect((await publicPage.goto('/status/ada--co'))?.status()).toBe(404)
  await expect(publicPage.getByRole('heading', { level: 1 })).toHaveText('Page not found')

  await button(page, 'Delete').click()
  await button(page, 'Yes, Nuke it').click()
  await expect(successToast('Successfully deleted status page.')).toBeVisible()
  await expect(page.getByLabel('Address')).toHaveValue('')
  expect((await publicPage.goto('/status/ada'))?.status()).toBe(404)
  await stranger.close()
})

test('a change in another tab is reported, and a page deleted there is not saved again @release', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 40[49]/)
  const ids = [await named(instance, '/tabs-shop', 'Shop'), await named(instance, '/tabs-blog', 'Blog')]
  const saveElsewhere = (showUrl: boolean) => {
    const entries = ids.map((id) => ({ tool: 'keepalive', id, showUrl }))
    return instance.call('PUT', api, { slug: 'tabs', title: 'Mine', entries })
  }
  const kept = async () => (await instance.call<{ slug: string; entries: object[] }>('GET', api)).body
  await saveElsewhere(true)
  await page.goto(screen)
  const publicName = page.getByLabel('Public name of Blog')
  const dialog = page.getByRole('dialog', { name: /^Changed by you in another tab / })
  await publicName.fill('News')
  await test.step('a change that has not reached the page yet is found by saving', async () => {
    const letGo = await delayRequests(page, `**${api}`)
    await saveElsewhere(false)
    await button(page, 'Save').click()
    letGo()
    await expect(dialog.getByRole('term')).toHaveText(['Entries'])
    await expect(dialog.getByRole('definition')).toHaveText([
      'BeforeShop (with URL), Blog (with URL)',
      'Other tabShop, Blog',
      'This pageShop (with URL), Blog as “News” (with URL)',
    ])
    expect((await kept()).entries).toMatchObject(ids.map(() => ({ showUrl: false, name: null })))
  })
  await button(page, 'Load other version').click()
  await expect(page.getByLabel('Show the URL of Shop')).not.toBeChecked()
  await expect(publicName).toHaveValue('')

  await publicName.fill('News')
  await saveElsewhere(true)
  await expect(changedElsewhere(page)).toBeVisible()
  await button(page, 'Save').click()
  await button(page, 'Save mine anyway').click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect((await kept()).entries).toMatchObject([{ showUrl: false }, { showUrl: false, name: 'News' }])
  await page.getByLabel('Title').fill('Without a report of my own save')
  await button(page, 'Save').click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()

  const gone = page.getByText("This status page was deleted, so your changes can't be saved.")
  await page.getByLabel('Title').fill('Too late')
  await instance.call('DELETE', api)
  await button(page, 'Save').click()
  await expect(gone).toBeVisible()
  expect((await kept()).slug).toBeNull()
  await button(page, 'Reset').click()
  await expect(page.getByLabel('Address')).toHaveValue('')
  await page.getByLabel('Address').fill('tabs-again')
  await page.getByLabel('Title').fill('New')
  await expect(gone).toBeHidden()
  await button(page, 'Save').click()
  await expect(toasts(page, 'success', 'Your status page is public now.')).toBeVisible()
})

test('a response from before a save is not taken for a change in another tab @release', async ({ page, instance }) => {
  const [fetched, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isHolding = true
  await instance.call('PUT', api, { slug: 'overtaken', title: 'Initial', entries: [] })
  await page.goto(screen)
  const title = page.getByLabel('Title')
  await title.fill('First')
  await page.route(`**${api}`, async (route) => {
    if (!isHolding || route.request().method() !== 'GET') return route.continue()
    const response = await route.fetch()
    if (!(await response.text()).includes('First')) return route.fulfill({ response })
    fetched.resolve()
    await held.promise
    await route.fulfill({ response })
  })
  await button(page, 'Save').click()
  await fetched.promise
  isHolding = false
  await title.fill('Second')
  await button(page, 'Save').click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  await title.fill('Third')
  const received = page.waitForResponse(
    async (response) => response.url().endsWith(api) && (await response.text()).includes('First'),
  )
  held.resolve()
  await (await received).finished()
  await nextFrame(page)
  await expect(changedElsewhere(page)).toBeHidden()
  await expect(title).toHaveValue('Third')
})

/** The pixels between the line and the dots above and below it. */
const gapsOfLine = `(() => {
  const boxesOf = (pseudo) => [...document.querySelectorAll('ol > li')].map((step) => {
    const { top, height } = getComputedStyle(step, pseudo)
    const start = step.getBoundingClientRect().top + parseFloat(top)
    return { start, end: start + parseFloat(height) }
  })
  const [first, second] = boxesOf('::before')
  const line = boxesOf('::after').find(({ start }) => !isNaN(start))
  return [line.start - first.end, second.start - line.end].map(Math.round)
})()`

for (const width of [900, 360])
  test(`on a screen of ${width} px, the line of an incident connects its dots past a long note`, async ({ page }) => {
    await page.setViewportSize({ width, height: 700 })
    const steps = `<li><time>12:00 UTC</time><span>${'Long note. '.repeat(40)}</span></li><li class="down">Down</li>`
    await page.setContent(
      `<style>${pageStyle}</style><div class="p m"><ul class="i"><li><ol>${steps}</ol></li></ul></div>`,
    )
    expect(await page.evaluate(gapsOfLine)).toEqual([4, 4])
  })

test('an entry’s badge can be customized, and its URL regenerated @release', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 404/)
  const id = await named(instance, '/badged', 'Badged')
  await expect.poll(() => instance.target.visits('/badged')).toBeGreaterThan(0)
  await page.goto(`/tools/keepalive/modify?id=${id}`)
  const card = page.getByRole('region', { name: 'Badge' })
  const image = card.getByRole('img')
  await expect(image).toHaveAccessibleName('Status')
  await card.getByRole('button', { name: 'Customize badge' }).click()
  await card.getByText('Uptime', { exact: true }).click()
  await card.getByText('90 days', { exact: true }).click()
  await card.getByText('For the badge', { exact: true }).click()
  await expect(image).toHaveAccessibleName('Uptime, 90 days')
  const width = `document.querySelector('section[aria-label=Badge] img').naturalWidth`
  await expect.poll(() => page.evaluate(width)).toBeGreaterThan(20)
  const markdown = card.locator('pre')
  await expect(markdown).toHaveText(
    /^!\[Uptime, 90 days\]\(http:.*\/api\/v1\/badges\/[\w-]+\.svg\?type=uptime&period=90d&style=for-the-badge\)$/,
  )
  const before = await markdown.textContent()
  expect(await accessibilityViolations(page)).toEqual([])
  await card.getByRole('button', { name: 'Regenerate badge URL' }).click()
  await page.getByRole('button', { name: 'Regenerate URL', exact: true }).click()
  await expect(toasts(page, 'success', 'Badge URL regenerated.')).toBeVisible()
  await expect(markdown).not.toHaveText(before ?? '')
})
