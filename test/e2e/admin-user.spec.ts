import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { User } from '../../src/users/admin/contract.ts'
import { password } from '../people.ts'
import type { House } from './house.ts'
import { expect, test, toasts } from './kit.ts'

test.use({ visitor: 'ada' })

const modify = '/admin/user/modify'
const create = '/admin/user/create'
const at = (email: string) => `${modify}?email=${encodeURIComponent(email)}`
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const select = (page: Page, name: string) => page.getByRole('combobox', { name })
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const unsaved = (page: Page) => page.getByText('Unsaved changes')
const deleteDialog = (page: Page, email: string) => page.getByRole('dialog', { name: `Delete ${email} ?` })
const passwordDialog = (page: Page) => page.getByRole('dialog', { name: 'Set Password for User' })

/** A user of the house with a name of their own, a user name and a password. */
async function newcomer(house: House, more: object = {}) {
  const name = `p${randomBytes(5).toString('hex')}`
  const wanted = { name, email: `${name}@example.com`, credUsername: name, password, ...more }
  const { status, body } = await house.call<User>('POST', '/api/v1/admin/user', wanted)
  expect(status).toBe(201)
  return body
}
const readUser = async (house: House, email: string) =>
  (await house.call<User>('GET', `/api/v1/admin/user?email=${encodeURIComponent(email)}`)).body
const dismiss = (house: House, email: string) =>
  house.call('DELETE', `/api/v1/admin/user?email=${encodeURIComponent(email)}`)

test('a user is found by e-mail, and Reset returns to the search', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(modify)
  await expect(page).toHaveTitle('ToolBox - Edit User')
  await expect(save(page)).toHaveCount(0)
  await field(page, 'Enter your User Email').fill(` ${user.email} `)
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(page).toHaveURL(at(user.email))
  await expect(page.getByRole('toolbar').getByRole('button')).toHaveText(['Save', 'Delete', 'Reset'])
  await field(page, 'Name').fill('Somebody else')
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(page).toHaveURL(modify)
  await expect(field(page, 'Enter your User Email')).toHaveValue('')
  await dismiss(house, user.email)
})

test('what nobody can set stands there to read', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(at(user.email))
  await expect(field(page, 'ID')).toHaveValue(user.id)
  await expect(field(page, 'ID')).not.toBeEditable()
  const usage = part(page, 'Usage')
  await expect(usage).toContainText('Last Usage Timestamp–')
  await expect(usage).toContainText('Log In Count0')
  await expect(usage.getByRole('time')).toHaveText([/^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M$/, /[AP]M$/])
  await expect(usage.getByRole('time').first()).toHaveAttribute('title', /now|ago$/)
  const provider = part(page, 'Providers').getByRole('row', { name: /^Credentials/ })
  await expect(provider).toContainText(user.name)
  await expect(provider.getByRole('link', { name: 'Visit' })).toHaveAttribute('href', '/user')
  await expect(part(page, 'API Keys')).toContainText('There are no API keys.')
  await dismiss(house, user.email)
})

test.describe('an e-mail that nobody has', () => {
  test.use({ provoked: [/status of 404/] })
  test('leads back to the search with a danger toast', async ({ page }) => {
    await page.goto(at('nobody@example.com'))
    await expect(toasts(page, 'danger')).toHaveCount(1)
    await expect(field(page, 'Enter your User Email')).toHaveValue('nobody@example.com')
  })
})

test('everything that may change is saved at once, and the address follows the e-mail', async ({ page, house }) => {
  const user = await newcomer(house, { tags: ['Verified'], roles: { Tools: 1 } })
  const email = `new.${user.email}`
  await page.goto(at(user.email))
  await field(page, 'Name').fill('Grace Hopper')
  await field(page, 'Email').fill(email.toUpperCase())
  await field(page, 'Username').fill(`x${user.name}`)
  await page.getByRole('radio', { name: 'Admin: Full Access' }).check()
  await page.getByRole('radio', { name: 'Tools: Full Access' }).press('ArrowRight')
  await expect(page.getByRole('radio', { name: 'Tools: Admin Access' })).toBeChecked()
  await expect(part(page, 'Roles').getByRole('radio', { checked: true })).toHaveCount(2)
  await select(page, 'Status').click()
  await page.getByRole('option', { name: 'Inactive' }).click()
  await page.getByRole('button', { name: 'Remove Verified' }).click()
  await select(page, 'Tags').fill('mod')
  await page.keyboard.press('Enter')
  await expect(unsaved(page)).toBeVisible()

  await save(page).click()
  await expect(toasts(page, 'success')).toContainText('Successfully edited user.')
  await expect(page).toHaveURL(at(email))
  await expect(unsaved(page)).toHaveCount(0)
  expect(await readUser(house, email)).toMatchObject({
    id: user.id,
    name: 'Grace Hopper',
    email,
    credUsername: `x${user.name}`,
    roles: { Admin: 1, Tools: 2 },
    status: 1,
    tags: ['Moderator'],
  })
  await page.reload()
  await expect(field(page, 'Name')).toHaveValue('Grace Hopper')
  await expect(select(page, 'Status')).toHaveValue('Inactive')
  await expect(page.getByRole('button', { name: 'Remove Moderator' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove Verified' })).toHaveCount(0)
  await dismiss(house, email)
})

test('only what was changed is sent: what somebody else changed meanwhile stays', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(at(user.email))
  await field(page, 'Name').fill('Grace Hopper')
  await house.call('PATCH', '/api/v1/admin/user', { id: user.id, tags: ['Admin'], roles: { Tools: 2 } })
  await page.getByRole('radio', { name: 'Admin: Full Access' }).check()
  await page.keyboard.press('Control+s')
  await expect(toasts(page, 'success')).toContainText('Successfully edited user.')
  const roles = { Admin: 1, Tools: 2 }
  expect(await readUser(house, user.email)).toMatchObject({ name: 'Grace Hopper', tags: ['Admin'], roles })
  await expect(page.getByRole('radio', { name: 'Tools: Admin Access' })).toBeChecked()
  await dismiss(house, user.email)
})

test('a level is chosen by a click anywhere in its cell', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(at(user.email))
  const roles = part(page, 'Roles')
  await expect(roles.getByRole('columnheader')).toHaveText(['Role', 'No Access', 'Full Access', 'Admin Access'])
  await roles
    .getByRole('row', { name: 'Tools' })
    .getByRole('cell')
    .last()
    .click({ position: { x: 12, y: 12 } })
  await expect(page.getByRole('radio', { name: 'Tools: Admin Access' })).toBeChecked()
  await expect(page.getByRole('radio', { name: 'Admin: No Access' })).toBeChecked()
  await page.getByRole('button', { name: 'Reset' }).click()
  await dismiss(house, user.email)
})

test('the dropdowns are searched by typing, and say when nothing is found', async ({ page }) => {
  await page.goto(create)
  const tags = select(page, 'Tags')
  await expect(tags).toHaveAttribute('placeholder', 'Select an option')
  await tags.fill('zebra')
  await expect(page.getByText('Nothing found that match the query.')).toBeVisible()
  await tags.fill('')
  await expect(page.getByRole('option')).toHaveText(['Verified', 'Admin', 'Moderator'])
  await page.getByRole('option', { name: 'Admin' }).click()
  await page.getByRole('option', { name: 'Verified' }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: /^Remove / })).toHaveCount(2)
  await tags.press('Backspace')
  await expect(page.getByRole('button', { name: /^Remove / })).toHaveCount(1)

  const status = select(page, 'Status')
  await status.fill('block')
  await expect(page.getByRole('option')).toHaveText(['Blocked'])
  await page.keyboard.press('Escape')
  await expect(status).toHaveValue('Active')
  await status.fill('')
  await field(page, 'Name').click({ force: true })
  await expect(status).toHaveValue('Active')
})

test('a taken e-mail or user name is told beside its field before Save, which then warns', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(at(user.email))
  await field(page, 'Email').fill('ADA@example.com')
  await field(page, 'Username').fill('Ada')
  await expect(page.getByText('This e-mail address is taken.')).toBeVisible()
  await expect(page.getByText('This user name is taken.')).toBeVisible()
  await expect(field(page, 'Email')).toHaveAttribute('aria-invalid', 'true')
  await save(page).click()
  await expect(toasts(page, 'warning')).toContainText('Already taken:')
  await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText(['Email', 'Username'])
  expect((await readUser(house, user.email)).id).toBe(user.id)
  await field(page, 'Email').fill(user.email)
  await field(page, 'Username').fill(user.name.toUpperCase())
  await expect(field(page, 'Email')).not.toHaveAttribute('aria-invalid')
  await expect(field(page, 'Username')).not.toHaveAttribute('aria-invalid')
  await page.getByRole('button', { name: 'Reset' }).click()
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
  await expect(page.getByText('This e-mail address is taken.')).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
})

test('Save is disabled while a required field is empty and says which', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(at(user.email))
  await expect(save(page)).toBeEnabled()
  await field(page, 'Name').fill('')
  await field(page, 'Username').fill('')
  await expect(save(page)).toBeDisabled()
  await save(page).hover()
  await expect(toasts(page, 'warning')).toContainText('Missing fields:')
  await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText(['Name'])
  await page.getByRole('button', { name: 'Reset' }).click()
  await dismiss(house, user.email)
})

test.describe('setting a password', () => {
  test.use({ provoked: [/status of 400/] })

  test('Ctrl+S confirms; a refusal says why and nothing is lost', async ({ page, house }) => {
    const user = await newcomer(house)
    await page.goto(at(user.email))
    await field(page, 'Name').fill('Half typed')
    await page.getByRole('button', { name: 'Update Password' }).click()
    const dialog = passwordDialog(page)
    await expect(dialog.getByRole('button')).toHaveText(['Cancel', 'Confirm'])
    await dialog.getByLabel('New password').fill('too short')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await expect(toasts(page, 'danger')).toContainText('Something went wrong.')
    await expect(dialog.getByRole('alert')).toHaveText('Use at least 12 characters.')
    await dialog.getByLabel('New password').fill('nine purple teapots')
    await house.call('PATCH', '/api/v1/admin/user', { id: user.id, tags: ['Admin'] })
    const readAgain = page.waitForResponse(/\/admin\/user\?/)
    await page.keyboard.press('Control+s')
    await expect(toasts(page, 'success')).toHaveText(/Successfully updated credentials\./)
    await readAgain
    await expect(dialog).toHaveCount(0)
    await expect(field(page, 'Name')).toHaveValue('Half typed')
    await expect(unsaved(page)).toBeVisible()
    const signIn = (secret: string) =>
      page.request.post('/api/auth/sign-in/username', { data: { username: user.name, password: secret } })
    expect((await signIn(password)).status()).toBe(401)
    await page.getByRole('button', { name: 'Reset' }).click()
    expect((await signIn('nine purple teapots')).status()).toBe(200)
    await dismiss(house, user.email)
  })

  test('Cancel and Escape change nothing and forget what was typed', async ({ page, house }) => {
    const user = await newcomer(house)
    await page.goto(at(user.email))
    const dialog = passwordDialog(page)
    for (const leave of [
      () => page.getByRole('button', { name: 'Cancel' }).click(),
      () => page.keyboard.press('Escape'),
    ]) {
      await page.getByRole('button', { name: 'Update Password' }).click()
      await expect(dialog.getByLabel('New password')).toHaveValue('')
      await dialog.getByLabel('New password').fill('nine purple teapots')
      await leave()
      await expect(dialog).toHaveCount(0)
    }
    await expect(toasts(page)).toHaveCount(0)
    await dismiss(house, user.email)
  })

  test('brings what others changed meanwhile into a form nobody typed in', async ({ page, house }) => {
    const user = await newcomer(house)
    await page.goto(at(user.email))
    await page.getByRole('button', { name: 'Update Password' }).click()
    await house.call('PATCH', '/api/v1/admin/user', { id: user.id, tags: ['Admin'] })
    await passwordDialog(page).getByLabel('New password').fill('nine purple teapots')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Remove Admin' })).toBeVisible()
    await expect(unsaved(page)).toHaveCount(0)
    await dismiss(house, user.email)
  })

  test('takes a user name that is saved', async ({ page, house }) => {
    const user = await newcomer(house, { credUsername: null, password: undefined })
    await page.goto(at(user.email))
    const update = page.getByRole('button', { name: 'Update Password' })
    await expect(update).toBeDisabled()
    await field(page, 'Username').fill(user.name)
    await expect(update).toBeDisabled()
    await save(page).click()
    await expect(update).toBeEnabled()
    await dismiss(house, user.email)
  })
})

test('the way in by a password is taken out of the form at once and off the user by Save', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(at(user.email))
  await page.getByRole('button', { name: /^Delete Credentials/ }).click()
  await expect(part(page, 'Providers')).toContainText('No provider is linked.')
  await expect(field(page, 'Username')).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Update Password' })).toBeDisabled()
  expect((await readUser(house, user.email)).providers).toHaveLength(1)
  await save(page).click()
  await expect(toasts(page, 'success')).toContainText('Successfully edited user.')
  await expect(field(page, 'Username')).toHaveValue('')
  await expect(field(page, 'Username')).toBeEnabled()
  expect(await readUser(house, user.email)).toMatchObject({ providers: [], credUsername: null })
  await dismiss(house, user.email)
})

test('deleting says how many entries go too, asks, and returns to the blank search', async ({ page, house }) => {
  const user = await newcomer(house, { roles: { Tools: 1 } })
  for (const path of ['/one', '/two']) {
    const url = house.target.url(path)
    const { status } = await house.call('POST', '/api/v1/keepalive/', { url, owner: user.email })
    expect(status).toBe(201)
  }
  await page.goto(at(user.email))
  const remove = page.getByRole('button', { name: 'Delete', exact: true })
  const dialog = deleteDialog(page, user.email)
  await remove.click()
  await expect(dialog).toContainText('Are you sure you want to delete this user?')
  await expect(dialog).toContainText('2 entries go with this user.')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await field(page, 'Name').fill('Half typed')
  await remove.click()
  await dialog.getByRole('button', { name: 'Yes, Nuke it' }).click()
  await expect(toasts(page)).toHaveText([/Successfully deleted user\./])
  await expect(page).toHaveURL(modify)
  await expect(field(page, 'Enter your User Email')).toHaveValue('')
  await expect(dialog).toHaveCount(0)
  const owned = (await house.entries()).filter(({ url }) => /\/(one|two)$/.test(url))
  expect(owned).toEqual([])
})

test.describe('the last admin', () => {
  test.use({ provoked: [/status of 409/] })
  test('stays one: the refusal is told and the form keeps what was chosen', async ({ page, house }) => {
    await page.goto(at('ada@example.com'))
    await page.getByRole('radio', { name: 'Admin: No Access' }).check()
    await save(page).click()
    await expect(toasts(page, 'danger')).toHaveCount(1)
    await expect(page.getByRole('radio', { name: 'Admin: No Access' })).toBeChecked()
    await expect(unsaved(page)).toBeVisible()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
    await expect(deleteDialog(page, 'ada@example.com')).toHaveCount(0)
    await expect(page.getByRole('radio', { name: 'Admin: No Access' })).toBeChecked()
    expect((await readUser(house, 'ada@example.com')).roles.Admin).toBe(2)
    await page.getByRole('button', { name: 'Reset' }).click()
  })
})

test('a new user stands in the form after Save', async ({ page, house }) => {
  await page.goto(create)
  await expect(page).toHaveTitle('ToolBox - Create User')
  await expect(page.getByRole('toolbar').getByRole('button')).toHaveText(['Save', 'Reset'])
  await expect(page.getByRole('button', { name: 'Update Password' })).toBeDisabled()
  await expect(save(page)).toBeDisabled()
  await save(page).hover()
  await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText(['Name', 'Email'])
  await field(page, 'Name').fill('Mira Osei')
  await field(page, 'Email').fill(' Mira@Example.com ')
  await field(page, 'Username').fill('Mira')
  await page.getByRole('radio', { name: 'Tools: Full Access' }).check()
  await page.keyboard.press('Control+s')
  await expect(toasts(page, 'success')).toContainText('Successfully created user.')
  await expect(page).toHaveURL(at('mira@example.com'))
  await expect(field(page, 'Username')).toHaveValue('mira')
  await expect(page.getByRole('radio', { name: 'Tools: Full Access' })).toBeChecked()
  await expect(page.getByRole('button', { name: 'Update Password' })).toBeEnabled()
  await dismiss(house, 'mira@example.com')
})

test('Reset restores a blank user', async ({ page }) => {
  await page.goto(create)
  await field(page, 'Name').fill('Mira Osei')
  await page.getByRole('radio', { name: 'Tools: Full Access' }).check()
  await select(page, 'Tags').fill('ver')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(field(page, 'Name')).toHaveValue('')
  await expect(page.getByRole('radio', { name: 'Tools: No Access' })).toBeChecked()
  await expect(page.getByRole('button', { name: 'Remove Verified' })).toHaveCount(0)
  await expect(unsaved(page)).toHaveCount(0)
  await expect(page).toHaveURL(create)
})

test('unsaved changes are not left without a question', async ({ page, house }) => {
  const user = await newcomer(house)
  await page.goto(at(user.email))
  await page.getByRole('radio', { name: 'Tools: Full Access' }).check()
  const questions: string[] = []
  page.on('dialog', (dialog) => {
    questions.push(dialog.type())
    void dialog.dismiss()
  })
  await page.getByRole('link', { name: 'Create User' }).click()
  await expect.poll(() => questions).toEqual(['confirm'])
  await page.getByRole('link', { name: 'Edit User' }).click()
  await expect.poll(() => questions).toEqual(['confirm', 'confirm'])
  await expect(page).toHaveURL(at(user.email))
  await expect(unsaved(page)).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByRole('link', { name: 'Create User' }).click()
  await expect(page).toHaveURL(create)
  expect(questions).toHaveLength(2)
  await dismiss(house, user.email)
})

test.describe('whoever is no admin', () => {
  test.use({ visitor: 'grace' })
  test('is denied both forms', async ({ page }) => {
    for (const path of [modify, create]) {
      await page.goto(path)
      await expect(page).toHaveURL('/auth/error?error=AccessDenied')
    }
  })
})
