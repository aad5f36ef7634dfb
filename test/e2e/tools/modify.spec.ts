import type { Page } from '@playwright/test'
import { minutes } from '../../../src/shared/time.ts'
import { expect, holdBack, test } from '../../support/page/kit.ts'

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

  const [url, name, unsaved] = [page.getByLabel('URL'), page.getByLabel('Name'), page.getByText('Unsaved changes')]
  await test.step('what one is typing survives a run that arrives meanwhile', async () => {
    await url.fill('https://example.com/half-typ')
    house.target.goDown('/runs')
    await house.call('POST', `/api/v1/keepalive/run?id=${id}`)
    await expect(runs(page)).toHaveCount(3)
    await expect(runs(page).first()).toContainText('FAIL')
    await expect(runs(page).first()).toContainText('answered 503')
    await expect(url).toHaveValue('https://example.com/half-typ')
    await expect(unsaved).toBeVisible()
  })

  await test.step('what is typed while a save is under way stays, and is saved by the next', async () => {
    await url.fill(house.target.url('/second'))
    const answer = await holdBack(page, '**/api/v1/keepalive')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.keyboard.press('ControlOrMeta+s')
    await sent
    await name.fill('Typed meanwhile')
    answer()
    await expect(page.getByText('Successfully updated entry.')).toBeVisible()
    await expect(unsaved).toBeVisible()
    await expect(name).toHaveValue('Typed meanwhile')
    await expect(url).toHaveValue(/second$/)
    await page.keyboard.press('ControlOrMeta+s')
    await expect(unsaved).toHaveCount(0)
    const { body } = await house.call<{ name: string; url: string }>('GET', `/api/v1/keepalive?id=${id}`)
    expect(body).toMatchObject({ name: 'Typed meanwhile', url: house.target.url('/second') })
  })
  await house.remove(id)
})

test('an entry that takes its time shows that it loads only after 200 ms', async ({ page, house }) => {
  const id = await house.entry('/slow-to-load')
  await page.clock.install()
  await page.goto('/tools/keepalive/viewlist')
  const link = page.locator(`a[href$="modify?id=${id}"]`).first()
  await link.waitFor()
  const answer = await holdBack(page, `**/api/v1/keepalive?id=${id}`)
  const asked = page.waitForRequest(`**/api/v1/keepalive?id=${id}`)
  await page.clock.pauseAt(Date.now() + minutes(1))
  await link.dispatchEvent('click')
  await asked
  const loading = page.getByRole('main').getByRole('status').locator('svg')
  await page.clock.runFor(199)
  await expect(loading).toHaveCount(0)
  await page.clock.runFor(10)
  await expect(loading).toBeVisible()
  answer()
  await page.clock.resume()
  await expect(page.getByRole('textbox', { name: 'URL' })).toHaveValue(/slow-to-load/)
  await house.remove(id)
})
