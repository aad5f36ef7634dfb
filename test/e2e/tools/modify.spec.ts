import type { Page } from '@playwright/test'
import { expect, test } from '../../support/page/kit.ts'

test.use({ visitor: 'ada' })

const modify = '/tools/keepalive/modify'
const runs = (page: Page) => page.getByRole('list', { name: 'Runs' }).getByRole('listitem')

test('Run now runs it, and every run appears by itself with SUCCESS or FAIL', async ({ page, house }) => {
  const id = await house.entry('/runs')
  await page.goto(`${modify}?id=${id}`)
  await expect(runs(page)).toHaveCount(1)
  await expect(runs(page)).toHaveText(/^SUCCESS\s*\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M/)
  await page.getByRole('button', { name: 'Run now' }).click()
  await expect(runs(page)).toHaveCount(2)
  expect(house.target.visits('/runs')).toBe(2)
  await house.call('PATCH', '/api/v1/keepalive', { id, url: house.target.url('/down') })
  await expect(page.getByLabel('URL')).toHaveValue(/\/runs$/)
  await house.call('POST', `/api/v1/keepalive/run?id=${id}`)
  await expect(runs(page).first()).toContainText('FAIL')
  await expect(runs(page).first()).toContainText('answered 503')
  await house.remove(id)
})

test('what one is typing survives a run that arrives meanwhile', async ({ page, house }) => {
  const id = await house.entry('/typing')
  await page.goto(`${modify}?id=${id}`)
  await expect(runs(page)).toHaveCount(1)
  await page.getByLabel('URL').fill('https://example.com/half-typ')
  await house.call('POST', `/api/v1/keepalive/run?id=${id}`)
  await expect(runs(page)).toHaveCount(2)
  await expect(page.getByLabel('URL')).toHaveValue('https://example.com/half-typ')
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
  await house.remove(id)
})

test('an entry that takes its time shows that it loads only after 200 ms', async ({ page, house }) => {
  const id = await house.entry('/slow-to-load')
  await page.route(`**/api/v1/keepalive?id=${id}`, async (route) => {
    await page.getByRole('main').getByRole('status').waitFor()
    await route.continue()
  })
  // When the entry is asked for, and when the logo is there, by the page's own clock.
  await page.addInitScript(`
    const open = XMLHttpRequest.prototype.open
    XMLHttpRequest.prototype.open = function (method, url, ...more) {
      if (String(url).includes('${id}')) window.askedAt ??= performance.now()
      return open.call(this, method, url, ...more)
    }
    new MutationObserver(() => {
      if (window.askedAt && document.querySelector('main [role=status] svg')) window.shownAt ??= performance.now()
    }).observe(document, { childList: true, subtree: true })`)
  await page.goto('/tools/keepalive/viewlist')
  await page.locator(`a[href$="modify?id=${id}"]`).first().dispatchEvent('click')
  await expect(page.getByRole('textbox', { name: 'URL' })).toHaveValue(/slow-to-load/)
  // A timer may be early by less than a millisecond.
  expect(await page.evaluate('window.shownAt - window.askedAt')).toBeGreaterThan(190)
})
