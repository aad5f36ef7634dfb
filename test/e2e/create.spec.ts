import type { Page } from '@playwright/test'
import { expect, test, toasts } from './kit.ts'

test.use({ visitor: 'ada' })

const create = '/tools/keepalive/create'
const save = (page: Page) => page.getByRole('button', { name: 'Save' })

test('a toast goes by itself after ten seconds', async ({ page }) => {
  await page.clock.install()
  await page.goto(create)
  await save(page).hover()
  await expect(toasts(page)).toHaveCount(1)
  await page.mouse.move(0, 0)
  await page.clock.fastForward(9_000)
  await expect(toasts(page)).toHaveCount(1)
  await page.clock.fastForward(2_000)
  await expect(toasts(page)).toHaveCount(0)
})

test('an interval that a host needs is one press', async ({ page, house }) => {
  await page.goto(create)
  await page.getByLabel('URL').fill(house.target.url('/made'))
  await page.getByText('Render', { exact: true }).click()
  await page.keyboard.press('Control+s')
  await expect(page).toHaveURL(/\/tools\/keepalive\/modify\?id=[\w-]+$/)
  await expect(toasts(page, 'success')).toContainText('Successfully created entry.')
  await expect(page.getByLabel('URL')).toHaveValue(house.target.url('/made'))
  await expect(page.getByRole('radio', { name: 'Render' })).toBeChecked()
  await house.remove(new URL(page.url()).searchParams.get('id') ?? '')
})

test.describe('when the server refuses', () => {
  test.use({ provoked: [/Failed to load resource/] })

  const refusals = [
    { answer: { status: 409, json: { error: 'You keep too many entries.' } }, said: 'You keep too many entries.' },
    { answer: { status: 500, body: '' }, said: 'Something went wrong.' },
  ]
  for (const { answer, said } of refusals)
    test(`a danger toast says: ${said}`, async ({ page }) => {
      await page.route('**/api/v1/keepalive/', (route) => route.fulfill(answer))
      await page.goto(create)
      await page.getByLabel('URL').fill('https://example.com')
      await save(page).click()
      await expect(toasts(page, 'danger').getByText(said)).toBeVisible()
      await Promise.all([page.waitForResponse('**/api/v1/keepalive/'), save(page).click()])
      await expect(save(page)).toBeEnabled()
      await expect(toasts(page, 'danger')).toHaveCount(1)
      await expect(page).toHaveURL(create)
      await expect(page.getByLabel('URL')).toHaveValue('https://example.com')
    })

  test('what is wrong with a field is said beside it, and the toast goes as soon as it is mended', async ({ page }) => {
    await page.goto(create)
    await page.getByLabel('URL').fill('http://10.0.0.7/')
    await save(page).click()
    await expect(page.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true')
    await expect(toasts(page, 'danger')).toContainText('This address is private')
    await page.getByLabel('URL').fill('https://example.com')
    await expect(toasts(page, 'danger')).toHaveCount(0)
    await expect(page.getByLabel('URL')).not.toHaveAttribute('aria-invalid')
    await page.getByRole('button', { name: 'Reset' }).click()
  })

  test('a server that is not there is a network error', async ({ page }) => {
    await page.route('**/api/v1/keepalive/', (route) => route.abort())
    await page.goto(create)
    await page.getByLabel('URL').fill('https://example.com')
    await save(page).click()
    await expect(toasts(page, 'danger').getByText('Network Error')).toBeVisible()
  })
})
