import type { Page } from '@playwright/test'
import { expect, test, toasts } from './kit.ts'

test.use({ visitor: 'ada' })

const create = '/tools/keepalive/create'
const save = (page: Page) => page.getByRole('button', { name: 'Save' })

test('Save is disabled while the URL is empty and says at the pointer what is missing, once', async ({ page }) => {
  await page.goto(create)
  await expect(page).toHaveTitle('ToolBox - Create Keep Alive')
  await expect(save(page)).toBeDisabled()
  for (let visits = 0; visits < 3; visits++) {
    await save(page).hover()
    await page.getByRole('heading', { level: 1 }).hover()
  }
  const warning = toasts(page, 'warning')
  await expect(warning).toHaveCount(1)
  await expect(warning).toContainText('Notification')
  await expect(warning).toContainText('Missing fields:')
  await expect(warning.getByRole('listitem')).toHaveText(['URL'])
  await page.getByLabel('URL').fill('https://example.com')
  await expect(save(page)).toBeEnabled()
  await warning.getByLabel('Close notification').click()
  await expect(warning).toHaveCount(0)
  await page.getByLabel('URL').fill('')
  await save(page).hover()
  await expect(warning).toHaveCount(1)
})

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

test('Ctrl+S saves a new entry, which then stands in its form', async ({ page, house }) => {
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

test('Reset restores the blank form without asking', async ({ page }) => {
  await page.goto(create)
  await page.getByLabel('URL').fill('https://example.com')
  await page.getByRole('switch', { name: 'Active' }).uncheck()
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(page.getByLabel('URL')).toHaveValue('')
  await expect(page.getByRole('switch', { name: 'Active' })).toBeChecked()
  await expect(page.getByText('Unsaved changes')).toHaveCount(0)
  await expect(page).toHaveURL(create)
})

test('a wrong URL is refused beside its field before anything is sent', async ({ page }) => {
  await page.goto(create)
  await page.getByLabel('URL').fill('ftp://example.com')
  await save(page).click()
  await expect(page.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('alert').filter({ hasText: /http/i })).toBeVisible()
  await expect(page).toHaveURL(create)
})

test('unsaved changes are not left by a link, the way back, or a reload without a question', async ({ page }) => {
  await page.goto('/tools/keepalive')
  await page.getByRole('link', { name: 'Create' }).click()
  await page.getByLabel('URL').fill('https://example.com')
  const asked: string[] = []
  let answer = false
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    return answer ? dialog.accept() : dialog.dismiss()
  })
  await page.getByRole('link', { name: 'View list' }).click()
  await expect.poll(() => asked).toEqual(['confirm'])
  await expect(page).toHaveURL(create)
  await page.evaluate('history.back()')
  await expect.poll(() => asked).toEqual(['confirm', 'confirm'])
  await expect(page).toHaveURL(create)
  await page.evaluate('setTimeout(() => location.reload())')
  await expect.poll(() => asked).toEqual(['confirm', 'confirm', 'beforeunload'])
  await expect(page.getByLabel('URL')).toHaveValue('https://example.com')
  answer = true
  await page.getByRole('link', { name: 'View list' }).click()
  await expect(page).toHaveURL('/tools/keepalive/viewlist')
  expect(asked).toHaveLength(4)
})

test('an untouched form is left without a question', async ({ page }) => {
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.message())
    return dialog.dismiss()
  })
  await page.goto(create)
  await page.getByRole('link', { name: 'View list' }).click()
  await expect(page).toHaveURL('/tools/keepalive/viewlist')
  expect(asked).toEqual([])
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

  test('a server that is not there is a network error', async ({ page }) => {
    await page.route('**/api/v1/keepalive/', (route) => route.abort())
    await page.goto(create)
    await page.getByLabel('URL').fill('https://example.com')
    await save(page).click()
    await expect(toasts(page, 'danger').getByText('Network Error')).toBeVisible()
  })
})
