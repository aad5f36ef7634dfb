import type { Page } from '@playwright/test'
import { minutes } from '../../../src/shared/time.ts'
import { expect, holdBack, test, toasts } from '../../support/page/kit.ts'
import * as relay from '../../support/page/relay.ts'

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

  await test.step('a Save that is pressed while another is under way follows it', async () => {
    await name.fill('First')
    const answer = await holdBack(page, '**/api/v1/keepalive')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await name.press('Enter')
    await sent
    await name.fill('Second')
    await name.press('Enter')
    answer()
    await expect(unsaved).toHaveCount(0)
    const { body } = await house.call<{ name: string }>('GET', `/api/v1/keepalive?id=${id}`)
    expect(body.name).toBe('Second')
  })
  await house.remove(id)
})

test('an entry that takes its time shows that it loads only after 200 ms @release', async ({ page, house }) => {
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

test.describe('an entry that is being deleted', () => {
  test.use({ provoked: [/status of 404/] })

  test('leads on from its address, though the page hears that it is gone before the answer comes @release', async ({
    page,
    house,
  }) => {
    const { id } = await relay.saved(house, house.discord.webhook())
    const free = Promise.withResolvers<void>()
    await page.route(`**${relay.api}?id=*`, async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue()
      const response = await route.fetch()
      await free.promise
      await route.fulfill({ response })
    })
    await page.goto(`${relay.tool}/modify?id=${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
    await expect(page.getByLabel('Enter your ID')).toBeVisible()
    free.resolve()
    await expect(page).toHaveURL(`${relay.tool}/modify`)
    await expect(toasts(page)).toHaveText([/Successfully deleted entry\./])
  })
})

test.describe('an entry that cannot be loaded', () => {
  test.use({ provoked: [/status of 503/] })

  test('leaves what is typed meanwhile alone when it is asked for again', async ({ page, house }) => {
    const id = await house.entry('/unloadable')
    const where = `**/api/v1/keepalive?id=${id}`
    page.on('dialog', (leave) => leave.accept())
    for (const [path, label] of [
      [`${modify}?id=${id}`, 'Enter your ID'],
      [`/tools/keepalive/create?from=${id}`, 'URL'],
    ] as const) {
      await page.route(where, (route) => route.fulfill({ status: 503, json: { error: 'Not now.' } }))
      await page.goto(path)
      const field = page.getByLabel(label, { exact: true })
      await field.fill('https://example.com/typed')
      // It takes the place of the refusal, so that no attempt in between gets the entry.
      await holdBack(page, where)
      // As when its tab is in front again.
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
      await expect(field).toHaveValue('https://example.com/typed')
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
    await page.goto('about:blank')
    await house.remove(id)
  })
})
