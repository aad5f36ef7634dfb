import { barriers, fitsPhone } from '../../support/page/barriers.ts'
import { expect, test, toasts } from '../../support/page/kit.ts'
import {
  at,
  create,
  dismiss,
  field,
  modify,
  newcomer,
  part,
  passwordDialog,
  readUser,
  save,
  select,
  unsaved,
} from '../../support/page/user-form.ts'

test.use({ visitor: 'ada' })

test('a taken email or username is told beside its field before Save, which then warns', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(at(user.email))
  await field(page, 'Email').fill('ADA@example.com')
  await field(page, 'Username').fill('Ada')
  await expect(page.getByText('This email is already in use.')).toBeVisible()
  await expect(page.getByText('This username is already in use.')).toBeVisible()
  await expect(field(page, 'Email')).toHaveAttribute('aria-invalid', 'true')
  await save(page).click()
  await expect(toasts(page, 'warning', 'Already taken:')).toBeVisible()
  await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText(['Email', 'Username'])
  expect((await readUser(house, user.email)).id).toBe(user.id)
  await field(page, 'Email').fill(user.email)
  await field(page, 'Username').fill(user.name.toUpperCase())
  await expect(field(page, 'Email')).not.toHaveAttribute('aria-invalid')
  await expect(field(page, 'Username')).not.toHaveAttribute('aria-invalid')
  await page.getByRole('button', { name: 'Reset' }).click()
  await dismiss(house, user.email)
})

test('a new user has no panels of what there is only once it is saved', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(at(user.email))
  for (const name of ['Usage', 'Providers', 'API Keys']) await expect(part(page, name)).toBeVisible()
  await page.goto(create)
  await expect(part(page, 'Roles')).toBeVisible()
  for (const name of ['Usage', 'Providers', 'API Keys']) await expect(part(page, name)).toHaveCount(0)
  await dismiss(house, user.email)
})

test('nobody is asked about each letter: only about what stands there for half a second', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.endsWith('emailexistcheck')) asked.push(url.search)
  })
  await page.clock.install()
  await page.goto(create)
  await field(page, 'Email').click()
  await page.clock.pauseAt(Date.now() + 3_600_000)
  await field(page, 'Email').pressSequentially('ada@example.com')
  await page.clock.runFor(450)
  expect(asked).toEqual([])
  await page.clock.runFor(100)
  await expect.poll(() => asked).toEqual(['?email=ada%40example.com'])
  await page.clock.resume()
  await expect(page.getByText('This email is already in use.')).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
})

test('Enter in a dropdown only chooses; in a text field it saves', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(at(user.email))
  await field(page, 'Name').fill('Half typed')
  await select(page, 'Tags').fill('there is no such tag')
  await page.keyboard.press('Enter')
  await select(page, 'Status').press('Enter')
  await expect(unsaved(page)).toBeVisible()
  expect((await readUser(house, user.email)).name).toBe(user.name)
  await field(page, 'Name').press('Enter')
  await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
  expect((await readUser(house, user.email)).name).toBe('Half typed')
  await dismiss(house, user.email)
})

test.describe('without a barrier, and without scrolling a phone sideways', () => {
  const longName = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(2)

  for (const path of [modify, create])
    test(`is ${path}`, async ({ page }) => {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      expect(await barriers(page)).toEqual([])
      await fitsPhone(page, path)
    })

  test('is the form of a user with a long name', async ({ page, house }) => {
    const user = await newcomer(house, { name: longName, tags: ['Verified'] })
    await page.goto(at(user.email))
    await expect(save(page)).toBeVisible()
    expect(await barriers(page)).toEqual([])
    await fitsPhone(page, modify)
    await dismiss(house, user.email)
  })

  test('is an open dropdown', async ({ page }) => {
    await page.goto(create)
    await select(page, 'Tags').click()
    await expect(page.getByRole('option')).toHaveCount(3)
    expect(await barriers(page)).toEqual([])
  })

  test('is the password dialog', async ({ page, house }) => {
    const user = await newcomer(house, { name: longName })
    await page.goto(at(user.email))
    await page.getByRole('button', { name: 'Update Password' }).click()
    await expect(passwordDialog(page)).toBeVisible()
    expect(await barriers(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    await expect(page.getByRole('button', { name: 'Confirm' })).toBeInViewport({ ratio: 1 })
    await dismiss(house, user.email)
  })
})
