import type { Page } from '@playwright/test'
import { asksBeforeLeaving, nextCall } from '../../support/page/forms.ts'
import { expect, test, toasts } from '../../support/page/kit.ts'
import {
  at,
  deleteDialog,
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
} from '../../support/page/users.ts'

test.use({ visitor: 'ada', provoked: [/status of 40[04]/] })

const api = '/api/v1/admin/user'
const finder = (page: Page) => field(page, 'Enter your User Email')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const raised = (page: Page) => page.getByRole('dialog', { name: 'see all users ?' })
const radio = (page: Page, name: string) => page.getByRole('radio', { name })
const stamped = /^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M$/

test('Find, read, change', async ({ page, house, holds }) => {
  const user = await newcomer(house, { tags: ['Verified'], roles: { Tools: 1 } })
  const email = `new.${user.email}`
  await page.goto(modify)

  await holds("The title is 'ToolBox - Edit User'; until a user is loaded there is a form to search one.", async () => {
    await expect(page).toHaveTitle('ToolBox - Edit User')
    await expect(finder(page)).toHaveAttribute('required')
    await expect(page.getByRole('main').getByRole('textbox')).toHaveCount(1)
    await expect(page.getByRole('main').getByRole('button')).toHaveText(['Search'])
  })
  await holds('An email address that nobody has leads back to the search, with a danger toast.', async () => {
    await finder(page).fill('nobody@example.com')
    await button(page, 'Search').click()
    await expect(toasts(page, 'danger')).toHaveCount(1)
    await expect(finder(page)).toHaveValue('nobody@example.com')
    await expect(finder(page)).toHaveAccessibleDescription('User not found.')
  })
  await holds(`By keyboard alone a user is found: GET ${api}?email=, the address in the query.`, async () => {
    await finder(page).fill(` ${user.email} `)
    const call = await nextCall(page, 'GET', () => finder(page).press('Enter'), '/admin/user')
    expect(call.path).toBe(`${api}?email=${user.email}`)
    await expect(page).toHaveURL(at(user.email))
    await expect(page.getByRole('toolbar', { name: 'User actions' }).getByRole('button')).toHaveText([
      'Save',
      'Delete',
      'Reset',
    ])
  })
  await holds('The id, the last usage, the log-in count and both timestamps are only there to read.', async () => {
    await expect(field(page, 'ID')).toHaveValue(user.id)
    await expect(field(page, 'ID')).not.toBeEditable()
    const usage = part(page, 'Usage')
    await expect(usage).toContainText('Last Usage Timestamp–')
    await expect(usage).toContainText('Log In Count0')
    await expect(usage.getByRole('time')).toHaveText([stamped, stamped])
    await expect(usage.getByRole('time').first()).toHaveAttribute('title', /^(.+ ago|just now) · /)
    await expect(usage.getByRole('textbox')).toHaveCount(0)
  })
  await holds(
    'Name and Email can be edited; whether somebody else has the address is asked without this user.',
    async () => {
      await field(page, 'Name').fill('Grace Hopper')
      const call = await nextCall(page, 'GET', () => field(page, 'Email').fill(email.toUpperCase()), 'existcheck')
      expect(call.path).toBe(`${api}/emailexistcheck?email=${email}&id=${user.id}`)
    },
  )
  await holds(
    'Roles is a table with a row a role and a level a column, of which one is chosen by a click.',
    async () => {
      const roles = part(page, 'Roles')
      await expect(roles.getByRole('columnheader')).toHaveText(['Role', 'No Access', 'Full Access', 'Admin Access'])
      await expect(roles.getByRole('rowheader')).toHaveText(['Tools', 'Admin'])
      await expect(radio(page, 'Tools: Full Access')).toBeChecked()
      const corner = { position: { x: 12, y: 12 } }
      const row = roles.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Admin' }) })
      await row.getByRole('cell').nth(1).click(corner)
      await expect(radio(page, 'Admin: Full Access')).toBeChecked()
    },
  )
  await holds('By keyboard the arrows choose the level.', async () => {
    await radio(page, 'Tools: Full Access').press('ArrowRight')
    await expect(radio(page, 'Tools: Admin Access')).toBeChecked()
    await expect(part(page, 'Roles').getByRole('radio', { checked: true })).toHaveCount(2)
  })
  await holds('Status is Blocked, Inactive or Active; tags are any of Verified, Admin and Moderator.', async () => {
    await select(page, 'Status').click()
    await expect(page.getByRole('option')).toHaveText(['Blocked', 'Inactive', 'Active'])
    await page.getByRole('option', { name: 'Inactive' }).click()
    await button(page, 'Remove Verified').click()
    await select(page, 'Tags').click()
    await expect(page.getByRole('option')).toHaveText(['Verified', 'Admin', 'Moderator'])
    await page.getByRole('option', { name: 'Moderator' }).click()
    await page.keyboard.press('Escape')
    await expect(button(page, 'Remove Moderator')).toBeVisible()
    await expect(unsaved(page)).toBeVisible()
  })
  await holds('Below each role stands what its level means, and what the user can do is listed.', async () => {
    const roles = part(page, 'Roles')
    await expect(radio(page, 'Admin: Full Access')).toHaveAccessibleDescription(
      'Can see the list of users but not change it.',
    )
    await expect(roles.getByRole('listitem')).toHaveCount(0)
    await roles.getByText('What can this user do?').click()
    await expect(roles).toContainText('Nothing while the account is inactive. Once it is active:')
    await expect(roles.getByRole('listitem').filter({ hasText: "everyone's entries" })).toBeVisible()
  })
  await holds('A higher level of Admin is asked about once more; Escape saves nothing.', async () => {
    await page.keyboard.press('ControlOrMeta+s')
    await expect(raised(page)).toContainText('They will not be able to change them.')
    await page.keyboard.press('Escape')
    await expect(raised(page)).toHaveCount(0)
    await expect(unsaved(page)).toBeVisible()
  })
  await holds(`Ctrl+S saves: PATCH ${api} with the id, what has changed, and the XSRF token.`, async () => {
    await page.keyboard.press('ControlOrMeta+s')
    const yes = raised(page).getByRole('button', { name: 'Yes, let them see' })
    const call = await nextCall(page, 'PATCH', () => yes.click())
    expect(call).toMatchObject({ path: api, guarded: true })
    expect(call.body).toMatchObject({ id: user.id, name: 'Grace Hopper', status: 1, tags: ['Moderator'] })
  })
  await holds(
    "'Successfully edited user.' says a toast, and the address follows a changed email address.",
    async () => {
      await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
      await expect(page).toHaveURL(at(email))
      await expect(unsaved(page)).toHaveCount(0)
    },
  )
  await holds('The same user is loaded again, as saved.', async () => {
    const changed = { name: 'Grace Hopper', email, status: 1, tags: ['Moderator'], roles: { Admin: 1, Tools: 2 } }
    expect(await readUser(house, email)).toMatchObject({ id: user.id, ...changed })
    await page.reload()
    await expect(field(page, 'Name')).toHaveValue('Grace Hopper')
    await expect(select(page, 'Status')).toHaveValue('Inactive')
    await expect(button(page, 'Remove Moderator')).toBeVisible()
    await expect(button(page, 'Remove Verified')).toHaveCount(0)
  })
  await holds('Save is disabled while a required field is empty, and warns at the pointer which.', async () => {
    await field(page, 'Name').fill('')
    await field(page, 'Username').fill('')
    await expect(save(page)).toBeDisabled()
    await save(page).hover()
    await expect(toasts(page, 'warning', 'Missing fields:')).toBeVisible()
    await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText(['Name'])
  })
  await holds('Unsaved changes are not left by a link, the way back or a reload without a question.', async () => {
    await asksBeforeLeaving(page, page.getByRole('main').getByRole('link', { name: 'Admin', exact: true }))
    await expect(page).toHaveURL(at(email))
  })
  await holds('Reset clears the form and returns to the base route, without a question.', async () => {
    await button(page, 'Reset').click()
    await expect(page).toHaveURL(modify)
    await expect(finder(page)).toHaveValue('')
  })
  await dismiss(house, { email })
})

test('Password', async ({ page, house, holds }) => {
  const user = await newcomer(house)
  const dialog = passwordDialog(page)
  const typed = dialog.getByLabel('New password')
  await page.goto(at(user.email))

  await holds("Update Password stands beside the Username and opens 'Set Password for User'.", async () => {
    await expect(field(page, 'Username')).toHaveValue(user.name)
    await button(page, 'Update Password').press('Enter')
    await expect(dialog.getByRole('heading')).toHaveText('Set Password for User')
    await expect(dialog.getByRole('button')).toHaveText(['Cancel', 'Confirm'])
  })
  await holds('Cancel and Escape change nothing and forget what was typed.', async () => {
    for (const leave of [() => button(page, 'Cancel').click(), () => page.keyboard.press('Escape')]) {
      await typed.fill('nine purple teapots')
      await leave()
      await expect(dialog).toHaveCount(0)
      await expect(toasts(page)).toHaveCount(0)
      await button(page, 'Update Password').click()
      await expect(typed).toHaveValue('')
    }
  })
  await holds("A failure is a danger toast, 'Something went wrong.', with the reason beside the field.", async () => {
    await typed.fill('too short')
    await button(page, 'Confirm').click()
    await expect(toasts(page, 'danger', 'Something went wrong.')).toBeVisible()
    await expect(dialog.getByRole('alert')).toHaveText('Use at least 12 characters.')
  })
  await holds(`Ctrl+S confirms: PATCH ${api}/password with id and password, and the XSRF token.`, async () => {
    await typed.fill('nine purple teapots')
    const call = await nextCall(page, 'PATCH', () => page.keyboard.press('ControlOrMeta+s'))
    expect(call).toMatchObject({ path: `${api}/password`, guarded: true })
    expect(call.body).toEqual({ id: user.id, password: 'nine purple teapots' })
  })
  await holds("Success is a toast, 'Successfully updated credentials.', and the new password counts.", async () => {
    await expect(toasts(page, 'success', 'Successfully updated credentials.')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    // Not in this browser, where it would end ada's session.
    const body = JSON.stringify({ username: user.name, password: 'nine purple teapots' })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${house.url}/api/auth/sign-in/username`, { method: 'POST', headers, body })
    expect(answer.status).toBe(200)
  })
  await dismiss(house, user)
})

test('Delete @release', async ({ page, house, holds }) => {
  const user = await newcomer(house)
  const dialog = deleteDialog(page, user.email)
  await page.goto(at(user.email))
  await holds("Delete asks first: 'Delete {email} ?', 'Are you sure you want to delete this user?'", async () => {
    await button(page, 'Delete').press('Enter')
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
