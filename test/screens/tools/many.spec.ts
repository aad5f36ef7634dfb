import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { accessibilityViolations, expectUsable } from '../../support/page/accessibility.ts'
import { delayRequests, expect, navigate, signInAs, toasts } from '../../support/page/kit.ts'
import { test as base, list, listCall, urlOf } from '../../support/page/long-list.ts'

const test = base.extend<{ tab: Page }>({
  tab: async ({ page, context, instance, mara: _ }, use) => {
    await signInAs(context, instance.url, 'mara')
    await use(page)
  },
})

// Giving entries to an unknown owner is refused.
test.use({ allowedConsoleErrors: [/status of 400 .*keepalive\/bulk/] })

// Runs that other tests have started must not change the order.
const mine = `${list}?owner=mara&sort=-createdAt`
const rows = (page: Page) => page.locator('tbody tr')
const pager = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const bar = (page: Page) => page.getByRole('region', { name: 'Selected entries' })
const press = (page: Page, name: string) => bar(page).getByRole('button', { name }).click()
const box = (page: Page, at: number) => rows(page).nth(at).getByRole('checkbox')
const pageBox = (page: Page) => page.getByRole('checkbox', { name: 'Select all rows of this page' })
const statusOf = (page: Page, at: number) => rows(page).nth(at).locator('[data-label=Status]')

test('selected entries can be paused, and a toast reports the result', async ({ tab, instance, mara }) => {
  await tab.goto(mine)
  await expect(rows(tab)).toHaveCount(10)
  await box(tab, 0).check()
  await box(tab, 2).click({ modifiers: ['Shift'] })
  await expect(bar(tab)).toContainText('3 selected')
  await expect(pager(tab)).toBeHidden()
  await expectUsable(tab, 'list with a selection')
  await press(tab, 'Pause')
  await expect(toasts(tab, 'success', '3 paused.')).toBeVisible()
  await expect(pager(tab)).toBeVisible()
  for (const at of [0, 1, 2]) await expect(statusOf(tab, at)).toContainText('Inactive')

  await pageBox(tab).check()
  await expect(bar(tab)).toContainText('10 selected')
  await box(tab, 3).uncheck()
  await expect(bar(tab)).toContainText('9 selected')
  const showRows = await delayRequests(tab, listCall)
  await press(tab, 'Pause')
  await expect(toasts(tab, 'success', '5 paused, 4 already paused.')).toBeVisible()
  // Rows selected while the list is reloading stay selected.
  await pageBox(tab).check()
  showRows()
  await expect(bar(tab).getByRole('button', { name: 'Pause' })).toBeEnabled()
  await expect(bar(tab)).toContainText('10 selected')
  await tab.keyboard.press('Escape')
  await expect(bar(tab)).toHaveCount(0)
  await expect(tab.getByRole('checkbox', { checked: true })).toHaveCount(0)

  await test.step('entries can change owner, and refused entries stay selected with a reason', async () => {
    await navigate(tab, `${mine}&url=${encodeURIComponent(urlOf(5))}`)
    await expect(rows(tab)).toContainText([urlOf(5)])
    await box(tab, 0).check()
    await press(tab, 'Change owner')
    const dialog = tab.getByRole('dialog')
    await expect(dialog).toContainText(/badges get new URLs/)
    await dialog.getByLabel("New owner's email").fill('nobody@example.com')
    await dialog.getByRole('button', { name: 'Change owner' }).click()
    await expect(dialog.getByText('No user has this email.')).toBeVisible()
    await dialog.getByLabel("New owner's email").fill('ada@example.com')
    await dialog.getByRole('button', { name: 'Change owner' }).click()
    const toast = toasts(tab, 'success', `${urlOf(5)} given to ada@example.com.`)
    // With the toasts before it, it covers the bar's buttons.
    await toast.getByRole('button', { name: 'Close notification' }).click()
    await instance.remove(mara.entries[5]!)

    await navigate(tab, `${mine}&url=${encodeURIComponent(urlOf(7))}`)
    await expect(rows(tab)).toContainText([urlOf(7)])
    await box(tab, 0).check()
    await tab.route('**/keepalive/bulk', (route) =>
      route.fulfill({ json: { done: [], refused: [{ id: mara.entries[7], why: 'Too many runs.' }] } }),
    )
    await press(tab, 'Run now')
    await expect(toasts(tab, 'danger', '0 started, 1 refused: Too many runs.')).toBeVisible()
    await expect(bar(tab)).toContainText('1 selected')
  })
})

test('queued runs show their progress in the top bar until stopped', async ({ tab }) => {
  await tab.goto(`${mine}&url=app-1`)
  await pageBox(tab).check()
  await press(tab, 'Select all')
  await expect(bar(tab)).toContainText('111 selected')
  await press(tab, 'Run now')
  await expect(toasts(tab, 'success', '111 queued to run.')).toBeVisible()
  const jobs = tab.getByRole('button', { name: /^Background jobs, \d+%$/ })
  await expect(jobs).toBeVisible()
  await tab.reload()
  await jobs.click()
  const panel = tab.getByRole('dialog', { name: 'Background jobs' })
  await expect(panel).toContainText(/About \d+ (?:minute|second)s? left.*\d+ of 111 · \d+%/)
  expect.soft(await accessibilityViolations(tab), 'with progress').toEqual([])
  await panel.getByRole('button', { name: 'Stop' }).click()
  await expect(jobs).toHaveCount(0)
  await expect(panel).toHaveCount(0)
})

test('all results of a search can be selected, and deleted on confirmation @release', async ({
  tab,
  instance,
  mara,
}) => {
  await tab.goto(`${mine}&url=app-1`)
  await pageBox(tab).check()
  const answer = await delayRequests(tab, /all=ids/)
  await press(tab, 'Select all')
  // A row deselected in the meantime stays deselected.
  await box(tab, 0).uncheck()
  answer()
  await expect(bar(tab)).toContainText('110 selected')
  await expect(box(tab, 0)).not.toBeChecked()
  await press(tab, 'Select all')
  await expect(bar(tab)).toContainText('111 selected')
  await press(tab, 'Delete')
  const dialog = tab.getByRole('dialog', { name: 'Delete 111 entries ?' })
  await expect(dialog).toContainText('these 111 keep-alive entries')
  await expect(dialog).toContainText(/app-1\S*, .* and 106 more/)
  const nuke = dialog.getByRole('button', { name: 'Yes, Nuke it' })
  await expect(nuke).toBeDisabled()
  await dialog.getByLabel('Type 111 to confirm').fill('11')
  await expect(nuke).toBeDisabled()
  await dialog.getByLabel('Type 111 to confirm').fill('111')
  await expect(nuke).toBeEnabled()
  await tab.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(bar(tab)).toContainText('111 selected')
  await tab.keyboard.press('Escape')
  await expect(bar(tab)).toHaveCount(0)

  await navigate(tab, `${mine}&url=app-22`)
  await expect(pager(tab)).toContainText(/^11 rows/)
  await pageBox(tab).check()
  await press(tab, 'Delete')
  await dialog.or(tab.getByRole('dialog')).getByRole('button', { name: 'Yes, Nuke it' }).click()
  await expect(toasts(tab, 'success', '10 deleted.')).toBeVisible()
  await expect(pager(tab)).toContainText(/^1 row/)
  const remaining = (await instance.entries()).filter(({ id, url }) => mara.entries.includes(id) && /app-22/.test(url))
  expect(remaining).toHaveLength(1)
})

test('the CSV file contains all rows of a search, even of a long list @release', async ({ tab, mara }) => {
  await tab.goto(`${list}?owner=mara&sort=url`)
  await expect(pager(tab)).toContainText('rows')
  const calls: string[] = []
  tab.on('request', (request) => void (request.url().includes('/keepalive/list') && calls.push(request.url())))
  const [download] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'CSV' }).click()])
  // The visible page may reload in the meantime.
  expect(calls.filter((url) => !url.includes('page=1&'))).toEqual([expect.stringMatching(/all=rows/)])
  expect(download.suggestedFilename()).toBe('keepalive.csv')
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
  expect(lines[0]).toContain('"ID","URL","Status","Owner","Created Timestamp"')
  expect(lines.length - 2).toBeGreaterThan(200)
  expect(lines[1]).toContain(`"${urlOf(0)}","Inactive","mara@example.com"`)
  await expect(tab.getByRole('button', { name: 'CSV' })).toHaveText('CSV')

  await test.step('a click on a row or Enter opens it; its controls and selecting text do not', async () => {
    await navigate(tab, `${mine}&url=app-1`)
    await expect(pager(tab)).toContainText(/^111 rows/)
    await box(tab, 0).check()
    await rows(tab).first().getByRole('button', { name: 'Copy ID' }).click()
    await expect(tab).toHaveURL(/viewlist/)
    await tab.keyboard.press('Escape')
    const link = await statusOf(tab, 1).boundingBox()
    await tab.mouse.move(link!.x + 14, link!.y + 12)
    await tab.mouse.down()
    await tab.mouse.move(link!.x + 60, link!.y + 14, { steps: 4 })
    await tab.mouse.up()
    await expect(tab).toHaveURL(/viewlist/)
    await tab.mouse.click(1_000, 120)
    await rows(tab).first().focus()
    await tab.keyboard.press('ArrowDown')
    await expect(rows(tab).nth(1)).toBeFocused()
    await tab.keyboard.press('Space')
    await expect(box(tab, 1)).toBeChecked()
    await tab.keyboard.press('Enter')
    await expect(tab).toHaveURL(/modify\?id=/)
    await tab.goBack()
    await statusOf(tab, 0).click()
    await expect(tab).toHaveURL(`/tools/keepalive/modify?id=${mara.entries[199]}`)
  })
})
