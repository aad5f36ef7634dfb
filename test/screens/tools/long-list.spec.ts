import type { Page, Request } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import type { Instance } from '../../support/page/instance.ts'
import { delayRequests, expect, goLive, navigate, setVisibility, signInAs, toasts } from '../../support/page/kit.ts'
import { test as base, list, listCall, paramsOf, urlOf } from '../../support/page/long-list.ts'
import { type CreatedUser, search } from '../../support/page/users.ts'

const count = 300

/** Indexes of the newest entry, which is listed first, and of one on a later page. Both are active. */
const [newest, later] = [count - 1, 105]

const test = base.extend<{ tab: Page; requests: Request[] }>({
  tab: async ({ page, context, instance, lena: _ }, use) => {
    await signInAs(context, instance.url, 'lena')
    await use(page)
  },
  requests: async ({ tab }, use) => {
    const requests: Request[] = []
    tab.on('request', (request) => listCall.test(request.url()) && requests.push(request))
    await use(requests)
  },
})

const rows = (page: Page) => page.locator('tbody tr')
const rowOf = (page: Page, n: number) => rows(page).filter({ hasText: urlOf(n) })
const pager = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const patch = async (instance: Instance, id: string | undefined, change: object) =>
  expect((await instance.call('PATCH', '/api/v1/keepalive', { id, ...change })).status).toBe(200)

async function open(page: Page, address = list) {
  await goLive(page, address)
  await expect(pager(page)).toContainText('rows')
  await expect(page.locator('tbody')).toHaveAttribute('aria-busy', 'false')
}

/** Sends the tab to the background and waits until its event stream has closed. */
async function hide(page: Page) {
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/v1/events'))
  await setVisibility(page, 'hidden')
  await ended
}

test('the server searches, sorts and pages a long list', async ({ tab, requests }) => {
  await open(tab)
  await expect(rows(tab)).toHaveCount(10)
  await expect(rowOf(tab, newest)).toBeVisible()
  await expect(pager(tab)).toContainText(/^300 rows/)
  await expect(pager(tab)).toContainText('1 of 30')

  await pager(tab).getByRole('button', { name: 'Last' }).click()
  await expect(rowOf(tab, 0)).toBeVisible()
  await expect(pager(tab)).toContainText('30 of 30')

  await search(tab, 'URL').fill('APP-12')
  await expect(pager(tab)).toContainText(/^11 rows/)
  await search(tab, 'Status').fill('inactive')
  await expect(pager(tab)).toContainText(/^1 row/)
  await expect(rowOf(tab, 120)).toBeVisible()
  await search(tab, 'URL').fill('')
  await expect(pager(tab)).toContainText(/^30 rows/)

  const head = tab.getByRole('columnheader', { name: 'Created' })
  await head.getByRole('button').click()
  await expect(rows(tab).first()).toContainText(urlOf(0))
  await head.getByRole('button').click()
  await expect(rows(tab).first()).toContainText(urlOf(290))
  await tab.getByRole('combobox', { name: 'Rows per page' }).selectOption('50')
  await expect(rows(tab)).toHaveCount(30)

  const zone = await tab.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone')
  expect(paramsOf(requests.at(-1)!)).toEqual({
    page: '1',
    size: '50',
    sort: 'createdAt',
    order: 'desc',
    zone,
    'filter[status]': 'inactive',
  })
  await tab.getByRole('combobox', { name: 'Rows per page' }).selectOption('10')

  await test.step('the previous rows stay dimmed until the response arrives', async () => {
    await expect(rows(tab)).toHaveCount(10)
    const free = await delayRequests(tab, listCall)
    await search(tab, 'URL').fill(urlOf(120))
    await expect(tab.locator('tbody')).toHaveAttribute('aria-busy', 'true')
    await expect(tab.locator('tbody')).toHaveCSS('opacity', '0.5')
    await expect(rows(tab)).toHaveCount(10)
    free()
    await expect(rows(tab)).toHaveCount(1)
    await expect(tab.locator('tbody')).toHaveCSS('opacity', '1')
  })
})

test('the URL keeps the state of the list over a reload and Back @release', async ({ tab, lena }) => {
  const address = `${list}?url=app-1&sort=url&page=2`
  await open(tab, address)
  await expect(pager(tab)).toContainText('2 of 12')
  const first = await rows(tab).first().innerText()
  await tab.reload()
  await expect(rows(tab).first()).toHaveText(first, { useInnerText: true })
  await rows(tab).first().getByRole('link', { name: 'Edit' }).click()
  await expect(tab).toHaveURL(/modify\?id=/)
  await tab.goBack()
  await expect(tab).toHaveURL(address)
  await expect(rows(tab).first()).toHaveText(first, { useInnerText: true })
  await tab.goForward()
  await expect(tab).toHaveURL(/modify\?id=/)
  expect(lena.entries).toHaveLength(count)
})

test('changes to rows arrive live, several in one reload', async ({
  tab,
  requests,
  instance,
  lena: { entries, email },
}) => {
  await tab.clock.install()
  // Sort explicitly: an entry that is switched on runs, fails, and would come first.
  await open(tab, `${list}?sort=-createdAt`)
  await expect(rowOf(tab, newest)).toContainText('Active')
  requests.length = 0
  await patch(instance, entries[later], { status: false })
  await patch(instance, entries[newest], { status: false })
  await expect(rowOf(tab, newest)).toContainText('Inactive')
  for (const call of requests) expect(paramsOf(call)).toMatchObject({ page: '1', size: '10' })
  for (const n of [later, newest]) await patch(instance, entries[n], { status: true })
  // The list reloads at most every two seconds.
  await tab.clock.runFor(2_000)
  await expect(rowOf(tab, newest).getByText('Active', { exact: true })).toBeVisible()

  await test.step('a background tab sends no requests and catches up once it is visible', async () => {
    await hide(tab)
    requests.length = 0
    await patch(instance, entries[newest], { status: false })
    // Without live events, a visible list would reload every five seconds.
    await tab.clock.runFor(10_000)
    await expect(rowOf(tab, newest).getByText('Active', { exact: true })).toBeVisible()
    expect(requests).toEqual([])
    await setVisibility(tab, 'visible')
    await expect(rowOf(tab, newest)).toContainText('Inactive')
    await expect(tab.getByText('Connection lost')).toHaveCount(0)
    await patch(instance, entries[newest], { status: true })
  })

  await test.step('created and deleted rows appear and disappear', async () => {
    const url = instance.target.url('/came')
    const { body } = await instance.call<CreatedUser>('POST', '/api/v1/keepalive/', {
      url,
      status: false,
      owner: email,
    })
    await tab.clock.runFor(2_000)
    await expect(rows(tab).first()).toContainText(url)
    await expect(pager(tab)).toContainText(/^301 rows/)
    await instance.remove(body.id)
    await tab.clock.runFor(2_000)
    await expect(pager(tab)).toContainText(/^300 rows/)
    await expect(rows(tab).first()).toContainText(urlOf(newest))
  })

  await test.step('Home requests figures instead of lists, and nothing in the background', async () => {
    const figures: string[] = []
    tab.on('request', (request) => /figures|recent/.test(request.url()) && figures.push(request.url()))
    await navigate(tab, '/')
    const card = tab.getByRole('list', { name: 'Tools' }).getByRole('listitem').filter({ hasText: 'Keep Alive' })
    await expect(card).toContainText('30 paused')
    requests.length = 0
    await patch(instance, entries[later + 1], { status: false })
    await expect(card).toContainText('31 paused')
    // The recent runs load last and may be late.
    await expect.poll(() => figures.filter((url) => url.includes('recent')).length).toBeGreaterThanOrEqual(3)
    await hide(tab)
    figures.length = 0
    await patch(instance, entries[later + 1], { status: true })
    await tab.clock.runFor(10_000)
    await expect(card).toContainText('31 paused')
    expect(figures).toEqual([])
    await setVisibility(tab, 'visible')
    await expect(card).toContainText('30 paused')
    expect(requests).toEqual([])
  })
})

test('a search that is empty, invalid or failed shows a message @release', async ({ tab, allowConsoleErrors }) => {
  allowConsoleErrors(/status of [45]00/)
  await open(tab, `${list}?page=99999999`)
  await expect(pager(tab)).toContainText('30 of 30')
  await search(tab, 'URL').fill('nothing like it')
  await expect(tab.getByText('No rows match your search.')).toBeVisible()
  await search(tab, 'URL').fill('')
  await search(tab, 'Created Timestamp').fill('no time')
  const box = search(tab, 'Created Timestamp')
  await expect(box).toHaveAttribute('aria-invalid', 'true')
  await expect(box).toHaveAccessibleDescription(/day, month or year/)
  await expect(tab.getByText('No matches')).toHaveCount(0)
  await expect(pager(tab)).not.toContainText('rows')
  expect(await accessibilityViolations(tab)).toEqual([])
  await expect(toasts(tab)).toHaveCount(0)
  await tab.route(listCall, (route) => route.fulfill({ status: 500, json: { error: 'Something went wrong.' } }))
  await box.fill('2026')
  await expect(tab.getByText("Couldn't load this list")).toBeVisible()
  await tab.unroute(listCall)
  await tab.getByRole('button', { name: 'Try again' }).click()
  await expect(pager(tab)).toContainText(/^300 rows/)

  await test.step('it works the same on a phone', async () => {
    await tab.setViewportSize({ width: 390, height: 844 })
    await tab.getByRole('button', { name: 'Search and sort' }).click()
    await box.fill('no time')
    await expect(box).toHaveAttribute('aria-invalid', 'true')
    await expectFitsPhone(tab, list)
    await box.fill('')
    await search(tab, 'URL').fill('app-299')
    await expect(rows(tab)).toHaveCount(1)
  })
})
