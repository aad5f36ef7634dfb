import { barriers, fitsPhone } from '../../../support/page/barriers.ts'
import { expect, go, test, toasts } from '../../../support/page/kit.ts'
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
} from '../../../support/page/users.ts'

test.use({ visitor: 'ada' })

const longName = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(2)

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

  await test.step('an open dropdown is no barrier', async () => {
    await select(page, 'Tags').click()
    await expect(page.getByRole('option')).toHaveCount(3)
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  await test.step('Enter in a dropdown only chooses; in a text field it saves', async () => {
    await field(page, 'Username').fill(user.name)
    await field(page, 'Name').fill(longName)
    await select(page, 'Tags').fill('there is no such tag')
    await page.keyboard.press('Enter')
    await select(page, 'Status').press('Enter')
    await expect(unsaved(page)).toBeVisible()
    expect((await readUser(house, user.email)).name).toBe(user.name)
    await field(page, 'Name').press('Enter')
    await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
    expect((await readUser(house, user.email)).name).toBe(longName)
  })

  await test.step('neither the form of a user with a long name nor the password dialog is a barrier', async () => {
    expect(await barriers(page)).toEqual([])
    await fitsPhone(page, modify)
    await page.getByRole('button', { name: 'Update Password' }).click()
    await expect(passwordDialog(page)).toBeVisible()
    expect(await barriers(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    await expect(page.getByRole('button', { name: 'Confirm' })).toBeInViewport({ ratio: 1 })
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.keyboard.press('Escape')
  })

  await test.step('a new user has no panels of what there is only once it is saved', async () => {
    for (const name of ['Usage', 'Providers', 'API Keys']) await expect(part(page, name)).toBeVisible()
    await go(page, create)
    await expect(page).toHaveTitle('ToolBox - Create User')
    await expect(part(page, 'Roles')).toBeVisible()
    for (const name of ['Usage', 'Providers', 'API Keys']) await expect(part(page, name)).toHaveCount(0)
  })

  await test.step('neither the new form nor the search for a user is a barrier', async () => {
    expect(await barriers(page)).toEqual([])
    await fitsPhone(page, create)
    await go(page, modify)
    await expect(field(page, 'Enter your User Email')).toBeVisible()
    expect(await barriers(page)).toEqual([])
    await fitsPhone(page, modify)
  })
  await dismiss(house, user)
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
