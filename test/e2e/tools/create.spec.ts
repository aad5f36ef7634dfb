import type { Page } from '@playwright/test'
import { expect, holdBack, test, toasts } from '../../support/page/kit.ts'

test.use({ visitor: 'ada', provoked: [/status of 400/] })

const create = '/tools/keepalive/create'
const save = (page: Page) => page.getByRole('button', { name: 'Save' })

test('what is missing or wrong is said, and the toast goes as soon as it is mended; then Enter saves', async ({
  page,
  house,
}) => {
  await page.goto(create)
  const url = page.getByLabel('URL')
  await url.press('Enter')
  await expect(toasts(page, 'warning', 'Missing fields:')).toBeVisible()
  await url.fill('http://10.0.0.7/')
  await save(page).click()
  await expect(url).toHaveAttribute('aria-invalid', 'true')
  await expect(toasts(page, 'danger', 'This address is private')).toBeVisible()
  await url.fill(house.target.url('/by-enter'))
  await expect(toasts(page, 'danger')).toHaveCount(0)
  await expect(url).not.toHaveAttribute('aria-invalid')

  await test.step('an interval that a host needs is one press', async () => {
    await page.getByText('Render', { exact: true }).click()
    await url.press('Enter')
    await expect(page).toHaveURL(/\/tools\/keepalive\/modify\?id=[\w-]+$/)
    await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
    await expect(url).toHaveValue(house.target.url('/by-enter'))
    await expect(page.getByRole('radio', { name: 'Render' })).toBeChecked()
  })
  await url.fill(house.target.url('/by-enter-again'))
  await page.getByLabel('Owner').press('Enter')
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  const [entry] = (await house.entries()).filter(({ url }) => url.endsWith('/by-enter-again'))
  await house.remove(entry?.id ?? '')
})

test('the wheel scrolls past a number and never changes it @release', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 400 })
  await page.goto(create)
  const number = page.getByLabel('Notify after')
  await number.fill('7')
  await number.hover()
  const offset = () => page.evaluate<number>('scrollY')
  const before = await offset()
  await page.mouse.wheel(0, -120)
  await expect.poll(offset).toBeLessThan(before)
  await expect(number).toHaveValue('7')
  await page.getByRole('button', { name: 'Reset' }).click()
})

test('saved again before its own screen is there, an entry is still made once', async ({ page, house }) => {
  const show = await holdBack(page, /\/assets\/modify/)
  await page.goto(create)
  await page.getByLabel('URL').fill(house.target.url('/made-once'))
  await page.getByLabel('URL').press('Enter')
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  await page.getByLabel('URL').press('Enter')
  await page.keyboard.press('Control+s')
  show()
  await expect(page.getByLabel('ID', { exact: true })).toBeVisible()
  const made = (await house.entries()).filter(({ url }) => url.endsWith('/made-once'))
  expect(made).toHaveLength(1)
  await house.remove(made[0]?.id ?? '')
})

test('who types on while a new entry and its own screen are on their way loses nothing, and saves it by Enter', async ({
  page,
  house,
}) => {
  const [name, url] = [page.getByLabel('Name', { exact: true }), page.getByLabel('URL')]
  const answer = await holdBack(page, '**/api/v1/keepalive/')
  const show = await holdBack(page, /\/assets\/modify/)
  await page.goto(create)
  await url.fill(house.target.url('/typed-on'))
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/keepalive/'))
  await url.press('Enter')
  await sent
  await name.fill('Typed before it was made')
  answer()
  await expect(toasts(page, 'success', 'Successfully created entry.')).toBeVisible()
  await expect(name).toHaveValue('Typed before it was made')
  await url.fill(house.target.url('/typed-after'))
  await page.getByLabel('Owner').press('Enter')
  await name.focus()
  await page.keyboard.press('End')
  show()
  await expect(page.getByLabel('ID', { exact: true })).toBeVisible()
  await expect(toasts(page, 'success', 'Successfully updated entry.')).toBeVisible()
  await page.keyboard.type(', and after')
  await expect(name).toHaveValue('Typed before it was made, and after')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Unsaved changes')).toHaveCount(0)
  const made = (await house.entries()).filter((entry) => entry.url.endsWith('/typed-after'))
  expect(made).toMatchObject([{ name: 'Typed before it was made, and after' }])
  await house.remove(made[0]?.id ?? '')
})
