import { expect, test, toasts } from '../../../support/page/kit.ts'
import {
  at,
  dismiss,
  field,
  newcomer,
  part,
  passwordDialog,
  readUser,
  save,
  unsaved,
} from '../../../support/page/users.ts'
import { password } from '../../../support/people.ts'

test.use({ visitor: 'ada' })

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
    await expect(toasts(page, 'danger', 'Something went wrong.')).toBeVisible()
    await expect(dialog.getByRole('alert')).toHaveText('Use at least 12 characters.')
    await dialog.getByLabel('New password').fill('nine purple teapots')
    await expect(toasts(page, 'danger')).toHaveCount(0)
    await house.call('PATCH', '/api/v1/admin/user', { id: user.id, tags: ['Admin'] })
    const readAgain = page.waitForResponse(/\/admin\/user\?/)
    await page.keyboard.press('Control+s')
    await expect(toasts(page, 'success', 'Successfully updated credentials.')).toBeVisible()
    await readAgain
    await expect(dialog).toHaveCount(0)
    await expect(field(page, 'Name')).toHaveValue('Half typed')
    await expect(unsaved(page)).toBeVisible()
    // Not in this browser, where it would end ada's session.
    const signIn = (secret: string) =>
      fetch(`${house.url}/api/auth/sign-in/username`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: user.name, password: secret }),
      })
    expect((await signIn(password)).status).toBe(401)
    await page.getByRole('button', { name: 'Reset' }).click()
    expect((await signIn('nine purple teapots')).status).toBe(200)
    await dismiss(house, user)
  })

  test('brings what others changed meanwhile into a form nobody typed in', async ({ page, house }) => {
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
    await dismiss(house, user)
  })
})
