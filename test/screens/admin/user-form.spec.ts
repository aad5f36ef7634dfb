import type { User } from '../../../src/admin/contract.ts'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import { nextCall } from '../../support/page/forms.ts'
import { expect, navigate, test, toasts } from '../../support/page/kit.ts'
import {
  create,
  createUniqueUser,
  deleteUser,
  field,
  modify,
  modifyPathOf,
  passwordDialog,
  readUser,
  region,
  save,
  select,
  unsaved,
} from '../../support/page/users.ts'

test.use({ signedInAs: 'ada' })

const api = '/api/v1/admin/user'
const longName = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(2)
const links = [
  { providerId: '001_Discord', accountId: '80351110224678912', accountUsername: 'nelly' },
  { providerId: '002_Github', accountId: '583231', accountUsername: 'octocat' },
]

test('For an administrator', async ({ page, instance, holds }) => {
  await page.goto(create)
  await holds("The title is 'ToolBox - Create User'; above the blank form are Save and Reset.", async () => {
    await expect(page).toHaveTitle('ToolBox - Create User')
    await expect(page.getByRole('toolbar', { name: 'User actions' }).getByRole('button')).toHaveText(['Save', 'Reset'])
    for (const name of ['ID', 'Name', 'Email', 'Username']) await expect(field(page, name)).toHaveValue('')
  })
  await holds('Update Password is disabled while a user is being created.', async () => {
    await expect(page.getByRole('button', { name: 'Update Password' })).toBeDisabled()
  })
  await holds("Save is disabled; hovering over it warns 'Missing fields:', Name, Email.", async () => {
    await expect(save(page)).toBeDisabled()
    await save(page).hover()
    await expect(toasts(page, 'warning', 'Missing fields:')).toBeVisible()
    await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText(['Name', 'Email'])
  })
  await holds('There is one warning; it updates while typing and disappears once no field is missing.', async () => {
    const warning = toasts(page, 'warning')
    await field(page, 'Name').fill('Mira Osei')
    await expect(warning.getByRole('listitem')).toHaveText(['Email'])
    await save(page).hover()
    await expect(warning).toHaveCount(1)
    await field(page, 'Email').fill('mira')
    await expect(warning).toHaveCount(0)
    await field(page, 'Email').fill('')
  })
  await holds('Reset restores a blank form.', async () => {
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
  await holds('Typing an email checks by GET …/emailexistcheck whether it is taken.', async () => {
    const type = () => field(page, 'Email').fill('ada@example.com')
    expect((await nextCall(page, 'GET', type, 'existcheck')).path).toBe(`${api}/emailexistcheck?email=ada@example.com`)
    await expect(page.getByText('This email is already in use.')).toBeVisible()
  })
  await holds('Typing a username checks by GET …/usernameexistcheck whether it is taken.', async () => {
    const type = () => field(page, 'Username').fill('Ada')
    expect((await nextCall(page, 'GET', type, 'existcheck')).path).toBe(`${api}/usernameexistcheck?username=ada`)
    await expect(page.getByText('This username is already in use.')).toBeVisible()
  })
  await holds(`Ctrl+S saves by POST ${api}, a toast confirms it, and the form shows the new user.`, async () => {
    await field(page, 'Name').fill('Mira Osei')
    await field(page, 'Email').fill(' Mira@Example.com ')
    await field(page, 'Username').fill('Mira')
    const call = await nextCall(page, 'POST', () => page.keyboard.press('ControlOrMeta+s'))
    expect(call).toMatchObject({ path: api, guarded: true })
    await expect(toasts(page, 'success', 'Successfully created user.')).toBeVisible()
    await expect(page).toHaveURL(modifyPathOf('mira@example.com'))
    await expect(field(page, 'Username')).toHaveValue('mira')
    await expect(page.getByRole('button', { name: 'Update Password' })).toBeEnabled()
  })
  await deleteUser(instance, { email: 'mira@example.com' })
})

test('a taken email or username is marked at its field, and Save warns @release', async ({ page, instance }) => {
  const user = await createUniqueUser(instance)
  await page.goto(modifyPathOf(user.email))
  await field(page, 'Email').fill('ADA@example.com')
  await field(page, 'Username').fill('Ada')
  await expect(page.getByText('This email is already in use.')).toBeVisible()
  await expect(page.getByText('This username is already in use.')).toBeVisible()
  await expect(field(page, 'Email')).toHaveAttribute('aria-invalid', 'true')
  await save(page).click()
  await expect(toasts(page, 'warning', 'Already taken:')).toBeVisible()
  await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText(['Email', 'Username'])
  expect((await readUser(instance, user.email)).id).toBe(user.id)
  await field(page, 'Email').fill(user.email)
  await field(page, 'Username').fill(user.name.toUpperCase())
  await expect(field(page, 'Email')).not.toHaveAttribute('aria-invalid')
  await expect(field(page, 'Username')).not.toHaveAttribute('aria-invalid')

  await test.step('an open dropdown is accessible', async () => {
    await select(page, 'Tags').click()
    await expect(page.getByRole('option')).toHaveCount(3)
    expect(await accessibilityViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  await test.step('Enter in a dropdown only selects; in a text field it saves', async () => {
    await field(page, 'Username').fill(user.name)
    await field(page, 'Name').fill(longName)
    await select(page, 'Tags').fill('there is no such tag')
    await page.keyboard.press('Enter')
    await select(page, 'Status').press('Enter')
    await expect(unsaved(page)).toBeVisible()
    expect((await readUser(instance, user.email)).name).toBe(user.name)
    await field(page, 'Name').press('Enter')
    await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
    expect((await readUser(instance, user.email)).name).toBe(longName)
  })

  await test.step('the form of a user with a long name and the password dialog are accessible', async () => {
    expect(await accessibilityViolations(page)).toEqual([])
    await expectFitsPhone(page, modify)
    await page.getByRole('button', { name: 'Update Password' }).click()
    await expect(passwordDialog(page)).toBeVisible()
    expect(await accessibilityViolations(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    await expect(page.getByRole('button', { name: 'Confirm' })).toBeInViewport({ ratio: 1 })
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.keyboard.press('Escape')
  })

  await test.step('the form of a new user omits the panels that need a saved user', async () => {
    for (const name of ['Usage', 'Providers', 'API Keys']) await expect(region(page, name)).toBeVisible()
    await navigate(page, create)
    await expect(page).toHaveTitle('ToolBox - Create User')
    await expect(region(page, 'Roles')).toBeVisible()
    for (const name of ['Usage', 'Providers', 'API Keys']) await expect(region(page, name)).toHaveCount(0)
  })

  await test.step('the form of a new user and the user search are accessible', async () => {
    expect(await accessibilityViolations(page)).toEqual([])
    await expectFitsPhone(page, create)
    await navigate(page, modify)
    await expect(field(page, 'Enter your User Email')).toBeVisible()
    expect(await accessibilityViolations(page)).toEqual([])
    await expectFitsPhone(page, modify)
  })
})

test('an email is checked once typing has paused for half a second @release', async ({ page }) => {
  const queries: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.endsWith('emailexistcheck')) queries.push(url.search)
  })
  await page.clock.install()
  await page.goto(create)
  await field(page, 'Email').click()
  await page.clock.pauseAt(Date.now() + 3_600_000)
  await field(page, 'Email').pressSequentially('ada@example.com')
  await page.clock.runFor(450)
  expect(queries).toEqual([])
  await page.clock.runFor(100)
  await expect.poll(() => queries).toEqual(['?email=ada%40example.com'])
  await page.clock.resume()
  await expect(page.getByText('This email is already in use.')).toBeVisible()
})

test('Providers and API keys @release', async ({ page, instance, holds }) => {
  const user = await createUniqueUser(instance)
  // Make the user look as if both providers were linked, too.
  await page.route(`**${api}?email=*`, async (route) => {
    const answer = await route.fetch()
    const body: User = await answer.json()
    await route.fulfill({ json: { ...body, providers: [...links, ...body.providers] } })
  })
  const providers = region(page, 'Providers')
  const row = (name: string) => providers.getByRole('row', { name: new RegExp(`^${name}`) })
  await page.goto(modifyPathOf(user.email))

  await holds('Providers is a table of provider, account ID, account username and a Visit link.', async () => {
    const heads = providers.getByRole('columnheader')
    await expect(heads.filter({ visible: true })).toContainText([
      'Provider',
      'Account ID',
      'Account Username',
      'Profile',
    ])
    await expect(row('Discord').getByRole('cell')).toContainText(['Discord', '80351110224678912', 'nelly', 'Visit', ''])
    await expect(row('GitHub').getByRole('cell')).toContainText(['GitHub', '583231', 'octocat', 'Visit', ''])
    await expect(row('Credentials')).toContainText(user.name)
  })
  const leadsTo = (name: string) => row(name).getByRole('link', { name: 'Visit' }).getAttribute('href')
  await holds("Discord's link contains the account ID, GitHub's the username; credentials link to /user.", async () => {
    expect(await leadsTo('Discord')).toMatch(/\/users\/80351110224678912$/)
    expect(await leadsTo('GitHub')).toMatch(/^https?:\/\/[^/]+\/octocat$/)
    expect(await leadsTo('Credentials')).toBe('/user')
    await expect(row('GitHub').getByRole('link')).toHaveAttribute('target', '_blank')
  })
  await holds('Delete removes a provider from the form, and Save sends the remaining ones.', async () => {
    await page.getByRole('button', { name: 'Delete Discord nelly' }).press('Enter')
    await expect(row('Discord')).toHaveCount(0)
    await expect(unsaved(page)).toBeVisible()
    await page.route(`**${api}`, (route) => route.fulfill({ json: user }), { times: 1 })
    const call = await nextCall(page, 'PATCH', () => save(page).click())
    expect(call.path).toBe(api)
    expect(call.body).toMatchObject({ id: user.id, providers: [links[1], { providerId: '003_Credentials' }] })
  })

  await holds('API keys are read-only and show only their last four characters.', async () => {
    const newKey = { name: 'Build machine', scopes: ['read'], expiresAt: null }
    const { body } = await instance.call<{ id: string; key: string }>('POST', '/api/v1/user/apikeys', newKey)
    await navigate(page, modifyPathOf('ada@example.com'))
    const keys = region(page, 'API Keys')
    const heads = ['Name', 'Last Four', 'Scopes', 'Created', 'Last Used', 'Expires']
    await expect(keys.getByRole('columnheader')).toHaveText(heads)
    const cells = keys.getByRole('row', { name: 'Build machine' }).getByRole('cell')
    await expect(cells).toHaveText(['Build machine', body.key.slice(-4), 'read', /[AP]M$/, '–', 'Never'])
    await expect(keys.getByRole('button')).toHaveCount(0)
    await expect(keys.getByRole('textbox')).toHaveCount(0)
    await instance.call('DELETE', `/api/v1/user/apikeys?id=${body.id}`)
  })
})
