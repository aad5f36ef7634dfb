import { expect, test, toasts } from './kit.ts'
import {
  at,
  create,
  deleteDialog,
  dismiss,
  field,
  modify,
  newcomer,
  part,
  readUser,
  save,
  select,
  unsaved,
} from './user-form.ts'

test.use({ visitor: 'ada' })

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

test('API keys stand there to read, without the key and without a button', async ({ page, house }) => {
  const key = { name: 'Build machine', scopes: ['read'], expiresAt: null }
  const { body } = await house.call<{ id: string; key: string }>('POST', '/api/v1/user/apikeys', key)
  await page.goto(at('ada@example.com'))
  const keys = part(page, 'API Keys')
  await expect(keys.getByRole('columnheader')).toHaveText([
    'Name',
    'Last Four',
    'Scopes',
    'Created',
    'Last Used',
    'Expires',
  ])
  const row = keys.getByRole('row', { name: 'Build machine' })
  await expect(row.getByRole('cell')).toHaveText(['Build machine', body.key.slice(-4), 'read', /[AP]M$/, '–', 'Never'])
  await expect(keys.getByRole('button')).toHaveCount(0)
  await house.call('DELETE', `/api/v1/user/apikeys?id=${body.id}`)
})
