import { expect, test, toasts } from '../../../support/page/kit.ts'
import {
  at,
  deleteDialog,
  dismiss,
  field,
  modify,
  newcomer,
  readUser,
  save,
  unsaved,
} from '../../../support/page/users.ts'

test.use({ visitor: 'ada', provoked: [/409 \(Conflict\)/] })

test('only what was changed is sent: what somebody else changed meanwhile stays', async ({ page, house }) => {
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
  await dismiss(house, user)
})

test('deleting says how many entries go too, asks, and returns to the blank search @release', async ({
  page,
  house,
}) => {
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
  await expect(dialog).toContainText('2 entries will be deleted too.')
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
  test('stays one: the refusal is told and the form keeps what was chosen @release', async ({ page, house }) => {
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
