import { nextCall } from '../../support/page/forms.ts'
import { expect, test, toasts } from '../../support/page/kit.ts'
import { at, create, dismiss, field, save, select, unsaved } from '../../support/page/users.ts'

test.use({ visitor: 'ada' })

const api = '/api/v1/admin/user'

test('For an administrator', async ({ page, house, holds }) => {
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
    await expect(toasts(page, 'warning', 'Missing fields:')).toBeVisible()
    await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText(['Name', 'Email'])
  })
  await holds('The warning is one, follows what is typed, and goes once nothing is missing.', async () => {
    const warning = toasts(page, 'warning')
    await field(page, 'Name').fill('Mira Osei')
    await expect(warning.getByRole('listitem')).toHaveText(['Email'])
    await save(page).hover()
    await expect(warning).toHaveCount(1)
    await field(page, 'Email').fill('mira')
    await expect(warning).toHaveCount(0)
    await field(page, 'Email').fill('')
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
    'Whether an email address is taken is asked by GET …/emailexistcheck, half a second after it.',
    async () => {
      const type = () => field(page, 'Email').fill('ada@example.com')
      expect((await nextCall(page, 'GET', type, 'existcheck')).path).toBe(
        `${api}/emailexistcheck?email=ada@example.com`,
      )
      await expect(page.getByText('This email is already in use.')).toBeVisible()
    },
  )
  await holds('So it is with a username, by GET …/usernameexistcheck.', async () => {
    const type = () => field(page, 'Username').fill('Ada')
    expect((await nextCall(page, 'GET', type, 'existcheck')).path).toBe(`${api}/usernameexistcheck?username=ada`)
    await expect(page.getByText('This username is already in use.')).toBeVisible()
  })
  await holds(`Ctrl+S saves by POST ${api}, a toast says so, and the new user stands in the form.`, async () => {
    await field(page, 'Name').fill('Mira Osei')
    await field(page, 'Email').fill(' Mira@Example.com ')
    await field(page, 'Username').fill('Mira')
    const call = await nextCall(page, 'POST', () => page.keyboard.press('ControlOrMeta+s'))
    expect(call).toMatchObject({ path: api, guarded: true })
    await expect(toasts(page, 'success', 'Successfully created user.')).toBeVisible()
    await expect(page).toHaveURL(at('mira@example.com'))
    await expect(field(page, 'Username')).toHaveValue('mira')
    await expect(page.getByRole('button', { name: 'Update Password' })).toBeEnabled()
  })
  await dismiss(house, { email: 'mira@example.com' })
})
