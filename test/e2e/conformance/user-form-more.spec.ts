import type { User } from '../../../src/users/admin/contract.ts'
import { expect, toasts } from '../kit.ts'
import {
  at,
  create,
  deleteDialog,
  dismiss,
  field,
  modify,
  newcomer,
  part,
  save,
  select,
  unsaved,
} from '../user-form.ts'
import { nextCall } from './entry-tools.ts'
import { test } from './statements.ts'

test.use({ visitor: 'ada', provoked: [/status of 40[04]/] })

const api = '/api/v1/admin/user'
const links = [
  { providerId: '001_Discord', accountId: '80351110224678912', accountUsername: 'nelly' },
  { providerId: '002_Github', accountId: '583231', accountUsername: 'octocat' },
]

test('Providers and API keys', async ({ page, house, holds }) => {
  const user = await newcomer(house)
  // Somebody who has signed in by both providers as well.
  await page.route(`**${api}?email=*`, async (route) => {
    const answer = await route.fetch()
    const body: User = await answer.json()
    await route.fulfill({ json: { ...body, providers: [...links, ...body.providers] } })
  })
  const providers = part(page, 'Providers')
  const row = (name: string) => providers.getByRole('row', { name: new RegExp(`^${name}`) })
  await page.goto(at(user.email))

  await holds('Providers is a table of provider, account id, account user name, and a link to visit.', async () => {
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
  await holds(
    "Discord's link is made of the account id, GitHub's of the user name, credentials' goes to /user.",
    async () => {
      expect(await leadsTo('Discord')).toMatch(/\/users\/80351110224678912$/)
      expect(await leadsTo('GitHub')).toMatch(/^https?:\/\/[^/]+\/octocat$/)
      expect(await leadsTo('Credentials')).toBe('/user')
      await expect(row('GitHub').getByRole('link')).toHaveAttribute('target', '_blank')
    },
  )
  await holds(
    'The delete button of a provider takes it out of the form, and Save sends those that are left.',
    async () => {
      await page.getByRole('button', { name: 'Delete Discord nelly' }).press('Enter')
      await expect(row('Discord')).toHaveCount(0)
      await expect(unsaved(page)).toBeVisible()
      await page.route(`**${api}`, (route) => route.fulfill({ json: user }), { times: 1 })
      const call = await nextCall(page, 'PATCH', () => save(page).click())
      expect(call.path).toBe(api)
      expect(call.body).toMatchObject({ id: user.id, providers: [links[1], { providerId: '003_Credentials' }] })
    },
  )
  await dismiss(house, user.email)

  await holds('API keys are only there to read, by their last four characters.', async () => {
    const wanted = { name: 'Build machine', scopes: ['read'], expiresAt: null }
    const { body } = await house.call<{ id: string; key: string }>('POST', '/api/v1/user/apikeys', wanted)
    await page.goto(at('ada@example.com'))
    const keys = part(page, 'API Keys')
    const heads = ['Name', 'Last Four', 'Scopes', 'Created', 'Last Used', 'Expires']
    await expect(keys.getByRole('columnheader')).toHaveText(heads)
    const cells = keys.getByRole('row', { name: 'Build machine' }).getByRole('cell')
    await expect(cells).toHaveText(['Build machine', body.key.slice(-4), 'read', /[AP]M$/, '–', 'Never'])
    await expect(keys.getByRole('button')).toHaveCount(0)
    await expect(keys.getByRole('textbox')).toHaveCount(0)
    await house.call('DELETE', `/api/v1/user/apikeys?id=${body.id}`)
  })
})

test('Create', async ({ page, house, holds }) => {
  await page.goto(create)
  await holds("The title is 'ToolBox - Create User'; above the blank form stand Save and Reset.", async () => {
    await expect(page).toHaveTitle('ToolBox - Create User')
    await expect(page.getByRole('toolbar', { name: 'User actions' }).getByRole('button')).toHaveText(['Save', 'Reset'])
    for (const name of ['ID', 'Name', 'Email', 'Username']) await expect(field(page, name)).toHaveValue('')
  })
  await holds('Update Password is disabled while a user is being created.', async () => {
    await expect(page.getByRole('button', { name: 'Update Password' })).toBeDisabled()
  })
  await holds("Save is disabled, and warns at the pointer: 'Missing fields:', Name, Email.", async () => {
    await expect(save(page)).toBeDisabled()
    await save(page).hover()
    await expect(toasts(page, 'warning')).toContainText('Missing fields:')
    await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText(['Name', 'Email'])
  })
  await holds('Reset restores a blank user.', async () => {
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
  await holds(
    'Whether an e-mail address is taken is asked by GET …/emailexistcheck, half a second after it.',
    async () => {
      const type = () => field(page, 'Email').fill('ada@example.com')
      expect((await nextCall(page, 'GET', type, 'existcheck')).path).toBe(
        `${api}/emailexistcheck?email=ada@example.com`,
      )
      await expect(page.getByText('This e-mail address is taken.')).toBeVisible()
    },
  )
  await holds('So it is with a user name, by GET …/usernameexistcheck.', async () => {
    const type = () => field(page, 'Username').fill('Ada')
    expect((await nextCall(page, 'GET', type, 'existcheck')).path).toBe(`${api}/usernameexistcheck?username=ada`)
    await expect(page.getByText('This user name is taken.')).toBeVisible()
  })
  await holds(`Ctrl+S saves by POST ${api}, a toast says so, and the new user stands in the form.`, async () => {
    await field(page, 'Name').fill('Mira Osei')
    await field(page, 'Email').fill(' Mira@Example.com ')
    await field(page, 'Username').fill('Mira')
    const call = await nextCall(page, 'POST', () => page.keyboard.press('ControlOrMeta+s'))
    expect(call).toMatchObject({ path: api, guarded: true })
    await expect(toasts(page, 'success')).toContainText('Successfully created user.')
    await expect(page).toHaveURL(at('mira@example.com'))
    await expect(field(page, 'Username')).toHaveValue('mira')
    await expect(page.getByRole('button', { name: 'Update Password' })).toBeEnabled()
  })
  await dismiss(house, 'mira@example.com')
})

test('Delete', async ({ page, house, holds }) => {
  const user = await newcomer(house)
  const dialog = deleteDialog(page, user.email)
  await page.goto(at(user.email))
  await holds("Delete asks first: 'Delete {email} ?', 'Are you sure you want to delete this user?'", async () => {
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
    await expect(dialog.getByRole('heading')).toHaveText(`Delete ${user.email} ?`)
    await expect(dialog).toContainText('Are you sure you want to delete this user?')
    await expect(dialog.getByRole('button')).toHaveText(['No', 'Yes, Nuke it'])
  })
  await holds(`'Yes, Nuke it' deletes by DELETE ${api}?email= with the XSRF token.`, async () => {
    const call = await nextCall(page, 'DELETE', () =>
      dialog.getByRole('button', { name: 'Yes, Nuke it' }).press('Enter'),
    )
    expect(call).toMatchObject({ path: `${api}?email=${user.email}`, guarded: true })
  })
  await holds("'Successfully deleted user.' says a toast, and the blank modify route is back.", async () => {
    await expect(toasts(page)).toHaveText([/Successfully deleted user\./])
    await expect(page).toHaveURL(modify)
    await expect(field(page, 'Enter your User Email')).toHaveValue('')
    await expect(dialog).toHaveCount(0)
  })
})
