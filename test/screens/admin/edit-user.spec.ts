import type { Page } from '@playwright/test'
import { expectLeavePrompts, nextCall } from '../../support/page/forms.ts'
import { expect, test, toasts } from '../../support/page/kit.ts'
import {
  createUniqueUser,
  deleteDialog,
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
import { password } from '../../support/people.ts'

test.use({ signedInAs: 'ada' })

const api = '/api/v1/admin/user'
const finder = (page: Page) => field(page, 'Enter your User Email')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const raised = (page: Page) => page.getByRole('dialog', { name: 'see all users ?' })
const radio = (page: Page, name: string) => page.getByRole('radio', { name })
const stamped = /^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M$/

test('Find, read, change', async ({ page, instance, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/status of 40[04]/)
  const user = await createUniqueUser(instance, { tags: ['Verified'], roles: { Tools: 1 } })
  const email = `new.${user.email}`
  await page.goto(modify)

  await holds("The title is 'ToolBox - Edit User'; until a user is loaded, only a search form is shown.", async () => {
    await expect(page).toHaveTitle('ToolBox - Edit User')
    await expect(finder(page)).toHaveAttribute('required')
    await expect(page.getByRole('main').getByRole('textbox')).toHaveCount(1)
    await expect(page.getByRole('main').getByRole('button')).toHaveText(['Search'])
  })
  await holds('An unknown email address shows a danger toast and returns to the search.', async () => {
    await finder(page).fill('nobody@example.com')
    await button(page, 'Search').click()
    await expect(toasts(page, 'danger')).toHaveCount(1)
    await expect(finder(page)).toHaveValue('nobody@example.com')
    await expect(finder(page)).toHaveAccessibleDescription('User not found.')
  })
  await holds(`Enter in the search sends GET ${api}?email= and adds the email to the page URL.`, async () => {
    await finder(page).fill(` ${user.email} `)
    const call = await nextCall(page, 'GET', () => finder(page).press('Enter'), '/admin/user')
    expect(call.path).toBe(`${api}?email=${user.email}`)
    await expect(page).toHaveURL(modifyPathOf(user.email))
    await expect(page.getByRole('toolbar', { name: 'User actions' }).getByRole('button')).toHaveText([
      'Save',
      'Delete',
      'Reset',
    ])
  })
  await holds('The ID, the last usage, the log-in count and both timestamps are read-only.', async () => {
    await expect(field(page, 'ID')).toHaveValue(user.id)
    await expect(field(page, 'ID')).not.toBeEditable()
    const usage = region(page, 'Usage')
    await expect(usage).toContainText('Last Usage Timestamp–')
    await expect(usage).toContainText('Log In Count0')
    await expect(usage.getByRole('time')).toHaveText([stamped, stamped])
    await expect(usage.getByRole('time').first()).toHaveAttribute('title', /^(.+ ago|just now) · /)
    await expect(usage.getByRole('textbox')).toHaveCount(0)
  })
  await holds('Name and Email can be edited; the check for a taken email excludes this user.', async () => {
    await field(page, 'Name').fill('Grace Hopper')
    const call = await nextCall(page, 'GET', () => field(page, 'Email').fill(email.toUpperCase()), 'existcheck')
    expect(call.path).toBe(`${api}/emailexistcheck?email=${email}&id=${user.id}`)
  })
  await holds('Roles is a table with a row per role and a column per level; a click selects a level.', async () => {
    const roles = region(page, 'Roles')
    await expect(roles.getByRole('columnheader')).toHaveText(['Role', 'No Access', 'Full Access', 'Admin Access'])
    await expect(roles.getByRole('rowheader')).toHaveText(['Tools', 'Admin'])
    await expect(radio(page, 'Tools: Full Access')).toBeChecked()
    const corner = { position: { x: 12, y: 12 } }
    const row = roles.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Admin' }) })
    await row.getByRole('cell').nth(1).click(corner)
    await expect(radio(page, 'Admin: Full Access')).toBeChecked()
  })
  await holds('The arrow keys select a level.', async () => {
    await radio(page, 'Tools: Full Access').press('ArrowRight')
    await expect(radio(page, 'Tools: Admin Access')).toBeChecked()
    await expect(region(page, 'Roles').getByRole('radio', { checked: true })).toHaveCount(2)
  })
  await holds('Status is Blocked, Inactive or Active; tags are any of Verified, Admin and Moderator.', async () => {
    await select(page, 'Status').click()
    await expect(page.getByRole('listbox', { name: 'Status' })).toBeVisible()
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
  await holds('The selected level of each role is explained, and the user’s permissions can be listed.', async () => {
    const roles = region(page, 'Roles')
    await expect(radio(page, 'Admin: Full Access')).toHaveAccessibleDescription(
      'Can see the list of users but not change it.',
    )
    await expect(roles.getByRole('listitem')).toHaveCount(0)
    await roles.getByText('What can this user do?').click()
    await expect(roles).toContainText('Nothing while the account is inactive. Once it is active:')
    await expect(roles.getByRole('listitem').filter({ hasText: "everyone's entries" })).toBeVisible()
  })
  await holds('Raising the Admin level needs a confirmation; Escape saves nothing.', async () => {
    await page.keyboard.press('ControlOrMeta+s')
    await expect(raised(page)).toContainText('They will not be able to change them.')
    await page.keyboard.press('Escape')
    await expect(raised(page)).toHaveCount(0)
    await expect(unsaved(page)).toBeVisible()
  })
  await holds(`Ctrl+S saves: PATCH ${api} with the ID, the changed fields and the XSRF token.`, async () => {
    await page.keyboard.press('ControlOrMeta+s')
    const yes = raised(page).getByRole('button', { name: 'Yes, let them see' })
    const call = await nextCall(page, 'PATCH', () => yes.click())
    expect(call).toMatchObject({ path: api, guarded: true })
    expect(call.body).toMatchObject({ id: user.id, name: 'Grace Hopper', status: 1, tags: ['Moderator'] })
  })
  await holds("A toast reads 'Successfully edited user.', and the page URL has the new email address.", async () => {
    await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
    await expect(page).toHaveURL(modifyPathOf(email))
    await expect(unsaved(page)).toHaveCount(0)
  })
  await holds('After a reload the form shows the user as saved.', async () => {
    const changed = { name: 'Grace Hopper', email, status: 1, tags: ['Moderator'], roles: { Admin: 1, Tools: 2 } }
    expect(await readUser(instance, email)).toMatchObject({ id: user.id, ...changed })
    await page.reload()
    await expect(field(page, 'Name')).toHaveValue('Grace Hopper')
    await expect(select(page, 'Status')).toHaveValue('Inactive')
    await expect(button(page, 'Remove Moderator')).toBeVisible()
    await expect(button(page, 'Remove Verified')).toHaveCount(0)
  })
  await holds('Save is disabled while a required field is empty; hovering over it lists the fields.', async () => {
    await field(page, 'Name').fill('')
    await field(page, 'Username').fill('')
    await expect(save(page)).toBeDisabled()
    await save(page).hover()
    await expect(toasts(page, 'warning', 'Missing fields:')).toBeVisible()
    await expect(toasts(page, 'warning').getByRole('listitem')).toHaveText(['Name'])
  })
  await holds('Leaving unsaved changes by a link, the Back button or a reload asks first.', async () => {
    await expectLeavePrompts(page, page.getByRole('main').getByRole('link', { name: 'Admin', exact: true }))
    await expect(page).toHaveURL(modifyPathOf(email))
  })
  await holds('Reset clears the form and returns to the base route without asking.', async () => {
    await button(page, 'Reset').click()
    await expect(page).toHaveURL(modify)
    await expect(finder(page)).toHaveValue('')
  })
  await deleteUser(instance, { email })
})

test('Password', async ({ page, instance, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/status of 40[04]/)
  const user = await createUniqueUser(instance)
  const dialog = passwordDialog(page)
  const typed = dialog.getByLabel('New password')
  // Uses fetch, because signing in with this browser would end ada's session.
  const signIn = (secret: string) => {
    const body = JSON.stringify({ username: user.name, password: secret })
    const headers = { 'content-type': 'application/json' }
    return fetch(`${instance.url}/api/auth/sign-in/username`, { method: 'POST', headers, body })
  }
  await page.goto(modifyPathOf(user.email))
  await field(page, 'Name').fill('Half typed')

  await holds("Update Password, next to the Username, opens 'Set Password for User'.", async () => {
    await expect(field(page, 'Username')).toHaveValue(user.name)
    await button(page, 'Update Password').press('Enter')
    await expect(dialog.getByRole('heading')).toHaveText('Set Password for User')
    await expect(dialog.getByRole('button')).toHaveText(['Cancel', 'Confirm'])
  })
  await holds('Cancel and Escape change nothing and discard the typed password.', async () => {
    for (const closeDialog of [() => button(page, 'Cancel').click(), () => page.keyboard.press('Escape')]) {
      await typed.fill('nine purple teapots')
      await closeDialog()
      await expect(dialog).toHaveCount(0)
      await expect(toasts(page)).toHaveCount(0)
      await button(page, 'Update Password').click()
      await expect(typed).toHaveValue('')
    }
  })
  await holds("A failure shows the danger toast 'Something went wrong.' and the reason at the field.", async () => {
    await typed.fill('too short')
    await button(page, 'Confirm').click()
    await expect(toasts(page, 'danger', 'Something went wrong.')).toBeVisible()
    await expect(dialog.getByRole('alert')).toHaveText('Use at least 12 characters.')
  })
  await holds(`Ctrl+S confirms: PATCH ${api}/password with the ID, the password and the XSRF token.`, async () => {
    await typed.fill('nine purple teapots')
    await toasts(page, 'danger').getByRole('button', { name: 'Close notification' }).click()
    await expect(toasts(page, 'danger')).toHaveCount(0)
    await instance.call('PATCH', '/api/v1/admin/user', { id: user.id, tags: ['Admin'] })
    const call = await nextCall(page, 'PATCH', () => page.keyboard.press('ControlOrMeta+s'))
    expect(call).toMatchObject({ path: `${api}/password`, guarded: true })
    expect(call.body).toEqual({ id: user.id, password: 'nine purple teapots' })
  })
  await holds("A toast reads 'Successfully updated credentials.', and only the new password works.", async () => {
    await expect(toasts(page, 'success', 'Successfully updated credentials.')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    expect((await signIn(password)).status).toBe(401)
    expect((await signIn('nine purple teapots')).status).toBe(200)
  })
  await test.step('unsaved changes in the form are kept', async () => {
    await expect(field(page, 'Name')).toHaveValue('Half typed')
    await expect(unsaved(page)).toBeVisible()
    await button(page, 'Reset').click()
  })
})

test('Delete @release', async ({ page, instance, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/status of 40[04]/)
  const user = await createUniqueUser(instance, { roles: { Tools: 1 } })
  for (const path of ['/one', '/two'])
    await instance.call('POST', '/api/v1/keepalive/', { url: instance.target.url(path), owner: user.email })
  const dialog = deleteDialog(page, user.email)
  await page.goto(modifyPathOf(user.email))
  await field(page, 'Name').fill('Half typed')
  await holds("Delete asks first: 'Delete {email} ?', 'Are you sure you want to delete this user?'", async () => {
    await button(page, 'Delete').press('Enter')
    await expect(dialog.getByRole('heading')).toHaveText(`Delete ${user.email} ?`)
    await expect(dialog).toContainText('Are you sure you want to delete this user?')
    await expect(dialog).toContainText('2 entries will be deleted too.')
    await expect(dialog.getByRole('button')).toHaveText(['No', 'Yes, Nuke it'])
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await button(page, 'Delete').click()
  })
  await holds(`'Yes, Nuke it' sends DELETE ${api}?email= with the user's id and the XSRF token.`, async () => {
    const call = await nextCall(page, 'DELETE', () =>
      dialog.getByRole('button', { name: 'Yes, Nuke it' }).press('Enter'),
    )
    expect(call).toMatchObject({ path: `${api}?email=${user.email}&id=${user.id}`, guarded: true })
  })
  await holds("A toast reads 'Successfully deleted user.', and the empty search form returns.", async () => {
    await expect(toasts(page)).toHaveText([/Successfully deleted user\./])
    await expect(page).toHaveURL(modify)
    await expect(field(page, 'Enter your User Email')).toHaveValue('')
    await expect(dialog).toHaveCount(0)
    expect((await instance.entries()).filter(({ url }) => /\/(one|two)$/.test(url))).toEqual([])
  })
})

test('saving sends only changed fields, so edits made elsewhere are kept', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/409 \(Conflict\)/)
  const user = await createUniqueUser(instance)
  await page.goto(modifyPathOf(user.email))
  await field(page, 'Name').fill('Grace Hopper')
  await instance.call('PATCH', '/api/v1/admin/user', { id: user.id, tags: ['Admin'], roles: { Tools: 2 } })
  await page.getByRole('radio', { name: 'Admin: Full Access' }).check()
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Yes, let them see' }).click()
  // The promotion has been confirmed and needs no second confirmation.
  await page.getByRole('button', { name: 'Save mine anyway' }).click()
  await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
  const roles = { Admin: 1, Tools: 2 }
  expect(await readUser(instance, user.email)).toMatchObject({ name: 'Grace Hopper', tags: ['Admin'], roles })
  await expect(page.getByRole('radio', { name: 'Tools: Admin Access' })).toBeChecked()

  await test.step('Enter in the username saves, although the field is outside the form element', async () => {
    await field(page, 'Username').fill(`${user.name}_2`)
    await field(page, 'Username').press('Enter')
    await expect(unsaved(page)).toHaveCount(0)
    expect((await readUser(instance, user.email)).credUsername).toBe(`${user.name}_2`)
  })

  await test.step('a newer version is overwritten only on confirmation', async () => {
    const dialog = page.getByRole('dialog', { name: /^Changed by you in another tab / })
    await field(page, 'Name').fill('Mine')
    await instance.call('PATCH', '/api/v1/admin/user', { id: user.id, name: 'Theirs', tags: ['Verified'] })
    const words = "You changed this user in another tab. The changes on this page aren't saved yet."
    await save(page).click()
    await expect(dialog.getByRole('term')).toHaveText(['Name', 'Tags'])
    const names = ['BeforeGrace Hopper', 'Other tabTheirs', 'This pageMine']
    await expect(dialog.getByRole('definition')).toHaveText([...names, 'BeforeAdmin', 'Other tabVerified'])
    await expect(page.getByText(words)).toBeVisible()
    await button(page, 'Save mine anyway').click()
    await expect(unsaved(page)).toHaveCount(0)
    expect(await readUser(instance, user.email)).toMatchObject({ name: 'Mine', tags: ['Verified'] })
    // The reload after that save may reach the server after the email has changed.
    allowConsoleErrors(/status of 404/)
    await field(page, 'Name').fill('Mine again')
    await instance.call('PATCH', '/api/v1/admin/user', { id: user.id, email: `moved.${user.email}` })
    await save(page).click()
    await button(page, 'Load other version').click()
    await expect(page).toHaveURL(modifyPathOf(`moved.${user.email}`))
    await expect(field(page, 'Name')).toHaveValue('Mine')
    await deleteUser(instance, { email: `moved.${user.email}` })
  })
})

test('the last admin can be neither demoted nor deleted @release', async ({ page, instance, allowConsoleErrors }) => {
  allowConsoleErrors(/409 \(Conflict\)/)
  allowConsoleErrors(/status of 409/)
  await page.goto(modifyPathOf('ada@example.com'))
  await page.getByRole('radio', { name: 'Admin: No Access' }).check()
  await save(page).click()
  await expect(toasts(page, 'danger')).toHaveCount(1)
  await expect(page.getByRole('radio', { name: 'Admin: No Access' })).toBeChecked()
  await expect(unsaved(page)).toBeVisible()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
  await expect(deleteDialog(page, 'ada@example.com')).toHaveCount(0)
  await expect(page.getByRole('radio', { name: 'Admin: No Access' })).toBeChecked()
  expect((await readUser(instance, 'ada@example.com')).roles.Admin).toBe(2)
})

test('setting a password loads outside changes into an untouched form @release', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 400/)
  const user = await createUniqueUser(instance)
  await page.goto(modifyPathOf(user.email))
  const update = page.getByRole('button', { name: 'Update Password' })
  await update.click()
  await instance.call('PATCH', '/api/v1/admin/user', { id: user.id, tags: ['Admin'] })
  await passwordDialog(page).getByLabel('New password').fill('nine purple teapots')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove Admin' })).toBeVisible()
  await expect(unsaved(page)).toHaveCount(0)

  await test.step('deleted credentials leave the form immediately, and the user on Save', async () => {
    await page.getByRole('button', { name: /^Delete Credentials/ }).click()
    await expect(region(page, 'Providers')).toContainText('No linked providers.')
    await expect(field(page, 'Username')).toBeDisabled()
    await expect(update).toBeDisabled()
    expect((await readUser(instance, user.email)).providers).toHaveLength(1)
    await save(page).click()
    await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
    await expect(field(page, 'Username')).toHaveValue('')
    await expect(field(page, 'Username')).toBeEnabled()
    expect(await readUser(instance, user.email)).toMatchObject({ providers: [], credUsername: null })
  })

  await test.step('Update Password requires a saved username', async () => {
    await expect(update).toBeDisabled()
    await field(page, 'Username').fill(user.name)
    await expect(update).toBeDisabled()
    await save(page).click()
    await expect(update).toBeEnabled()
  })
})
