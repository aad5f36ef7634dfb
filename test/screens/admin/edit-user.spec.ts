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
import { password } from '../../support/people.ts'

test.use({ visitor: 'ada' })

const api = '/api/v1/admin/user'
const finder = (page: Page) => field(page, 'Enter your User Email')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const raised = (page: Page) => page.getByRole('dialog', { name: 'see all users ?' })
const radio = (page: Page, name: string) => page.getByRole('radio', { name })
const stamped = /^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d [AP]M$/

test('Find, read, change', async ({ page, house, holds, provokes }) => {
  provokes(/status of 40[04]/)
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
  await holds('Name and Email can be edited; whether the address is taken is asked without this user.', async () => {
    await field(page, 'Name').fill('Grace Hopper')
    const call = await nextCall(page, 'GET', () => field(page, 'Email').fill(email.toUpperCase()), 'existcheck')
    expect(call.path).toBe(`${api}/emailexistcheck?email=${email}&id=${user.id}`)
  })
  await holds('Roles is a table with a row a role, a column a level; a click chooses one.', async () => {
    const roles = part(page, 'Roles')
    await expect(roles.getByRole('columnheader')).toHaveText(['Role', 'No Access', 'Full Access', 'Admin Access'])
    await expect(roles.getByRole('rowheader')).toHaveText(['Tools', 'Admin'])
    await expect(radio(page, 'Tools: Full Access')).toBeChecked()
    const corner = { position: { x: 12, y: 12 } }
    const row = roles.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Admin' }) })
    await row.getByRole('cell').nth(1).click(corner)
    await expect(radio(page, 'Admin: Full Access')).toBeChecked()
  })
  await holds('By keyboard the arrows choose the level.', async () => {
    await radio(page, 'Tools: Full Access').press('ArrowRight')
    await expect(radio(page, 'Tools: Admin Access')).toBeChecked()
    await expect(part(page, 'Roles').getByRole('radio', { checked: true })).toHaveCount(2)
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
  await holds("'Successfully edited user.' says a toast; the address follows a changed email address.", async () => {
    await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
    await expect(page).toHaveURL(at(email))
    await expect(unsaved(page)).toHaveCount(0)
  })
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

test('Password', async ({ page, house, holds, provokes }) => {
  provokes(/status of 40[04]/)
  const user = await newcomer(house)
  const dialog = passwordDialog(page)
  const typed = dialog.getByLabel('New password')
  // Not in this browser, where it would end ada's session.
  const signIn = (secret: string) => {
    const body = JSON.stringify({ username: user.name, password: secret })
    const headers = { 'content-type': 'application/json' }
    return fetch(`${house.url}/api/auth/sign-in/username`, { method: 'POST', headers, body })
  }
  await page.goto(at(user.email))
  await field(page, 'Name').fill('Half typed')

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
    await toasts(page, 'danger').getByRole('button', { name: 'Close notification' }).click()
    await expect(toasts(page, 'danger')).toHaveCount(0)
    await house.call('PATCH', '/api/v1/admin/user', { id: user.id, tags: ['Admin'] })
    const call = await nextCall(page, 'PATCH', () => page.keyboard.press('ControlOrMeta+s'))
    expect(call).toMatchObject({ path: `${api}/password`, guarded: true })
    expect(call.body).toEqual({ id: user.id, password: 'nine purple teapots' })
  })
  await holds("Success is a toast, 'Successfully updated credentials.', and the new password counts.", async () => {
    await expect(toasts(page, 'success', 'Successfully updated credentials.')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    expect((await signIn(password)).status).toBe(401)
    expect((await signIn('nine purple teapots')).status).toBe(200)
  })
  await test.step('nothing that was typed before is lost', async () => {
    await expect(field(page, 'Name')).toHaveValue('Half typed')
    await expect(unsaved(page)).toBeVisible()
    await button(page, 'Reset').click()
  })
})

test('Delete @release', async ({ page, house, holds, provokes }) => {
  provokes(/status of 40[04]/)
  const user = await newcomer(house, { roles: { Tools: 1 } })
  for (const path of ['/one', '/two'])
    await house.call('POST', '/api/v1/keepalive/', { url: house.target.url(path), owner: user.email })
  const dialog = deleteDialog(page, user.email)
  await page.goto(at(user.email))
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
    expect((await house.entries()).filter(({ url }) => /\/(one|two)$/.test(url))).toEqual([])
  })
})

test('only what was changed is sent: what somebody else changed meanwhile stays', async ({ page, house, provokes }) => {
  provokes(/409 \(Conflict\)/)
  const user = await newcomer(house)
  await page.goto(at(user.email))
  await field(page, 'Name').fill('Grace Hopper')
  await house.call('PATCH', '/api/v1/admin/user', { id: user.id, tags: ['Admin'], roles: { Tools: 2 } })
  await page.getByRole('radio', { name: 'Admin: Full Access' }).check()
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Yes, let them see' }).click()
  // Whoever has said so is not asked again.
  await page.getByRole('button', { name: 'Save mine anyway' }).click()
  await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
  const roles = { Admin: 1, Tools: 2 }
  expect(await readUser(house, user.email)).toMatchObject({ name: 'Grace Hopper', tags: ['Admin'], roles })
  await expect(page.getByRole('radio', { name: 'Tools: Admin Access' })).toBeChecked()

  await test.step('Enter in the username saves, although the field stands apart', async () => {
    await field(page, 'Username').fill(`${user.name}_2`)
    await field(page, 'Username').press('Enter')
    await expect(unsaved(page)).toHaveCount(0)
    expect((await readUser(house, user.email)).credUsername).toBe(`${user.name}_2`)
  })

  await test.step('another version is saved over only by choice', async () => {
    const dialog = page.getByRole('dialog', { name: /^Changed by you in another tab / })
    await field(page, 'Name').fill('Mine')
    await house.call('PATCH', '/api/v1/admin/user', { id: user.id, name: 'Theirs', tags: ['Verified'] })
    const words = "You changed this user in another tab. The changes on this page aren't saved yet."
    await save(page).click()
    await expect(dialog.getByRole('term')).toHaveText(['Name', 'Tags'])
    const names = ['BeforeGrace Hopper', 'Other tabTheirs', 'This pageMine']
    await expect(dialog.getByRole('definition')).toHaveText([...names, 'BeforeAdmin', 'Other tabVerified'])
    await expect(page.getByText(words)).toBeVisible()
    await button(page, 'Save mine anyway').click()
    await expect(unsaved(page)).toHaveCount(0)
    expect(await readUser(house, user.email)).toMatchObject({ name: 'Mine', tags: ['Verified'] })
    // What is loaded again after that save may come when the email is another one.
    provokes(/status of 404/)
    await field(page, 'Name').fill('Mine again')
    await house.call('PATCH', '/api/v1/admin/user', { id: user.id, email: `moved.${user.email}` })
    await save(page).click()
    await button(page, 'Load other version').click()
    await expect(page).toHaveURL(at(`moved.${user.email}`))
    await expect(field(page, 'Name')).toHaveValue('Mine')
    await dismiss(house, { email: `moved.${user.email}` })
  })
})

test('the last admin stays one: that is told, and the form stays @release', async ({ page, house, provokes }) => {
  provokes(/409 \(Conflict\)/)
  provokes(/status of 409/)
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
})

test('a new password brings others’ changes into an untouched form @release', async ({ page, house, provokes }) => {
  provokes(/status of 400/)
  const user = await newcomer(house)
  await page.goto(at(user.email))
  const update = page.getByRole('button', { name: 'Update Password' })
  await update.click()
  await house.call('PATCH', '/api/v1/admin/user', { id: user.id, tags: ['Admin'] })
  await passwordDialog(page).getByLabel('New password').fill('nine purple teapots')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove Admin' })).toBeVisible()
  await expect(unsaved(page)).toHaveCount(0)

  await test.step('credentials disappear from the form at once, and from the user on Save', async () => {
    await page.getByRole('button', { name: /^Delete Credentials/ }).click()
    await expect(part(page, 'Providers')).toContainText('No linked providers.')
    await expect(field(page, 'Username')).toBeDisabled()
    await expect(update).toBeDisabled()
    expect((await readUser(house, user.email)).providers).toHaveLength(1)
    await save(page).click()
    await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
    await expect(field(page, 'Username')).toHaveValue('')
    await expect(field(page, 'Username')).toBeEnabled()
    expect(await readUser(house, user.email)).toMatchObject({ providers: [], credUsername: null })
  })

  await test.step('it takes a username that is saved', async () => {
    await expect(update).toBeDisabled()
    await field(page, 'Username').fill(user.name)
    await expect(update).toBeDisabled()
    await save(page).click()
    await expect(update).toBeEnabled()
  })
})
