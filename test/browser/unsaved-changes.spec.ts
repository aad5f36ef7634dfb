import type { Page } from '@playwright/test'
import { accessibilityViolations } from '../support/page/accessibility.ts'
import type { Instance } from '../support/page/instance.ts'
import { delayRequests, expect, test, toasts } from '../support/page/kit.ts'
import { createTestUser, createUniqueUser, modifyPathOf, rowOf, updateUser } from '../support/page/users.ts'
import { password } from '../support/people.ts'

test.use({ allowedConsoleErrors: [/status of 40[13]/] })

const url = (page: Page) => page.getByLabel('URL', { exact: true })
const signedOut = (page: Page) => page.getByRole('dialog', { name: "You've been signed out" })
const saved = (page: Page) => toasts(page, 'success', 'Successfully updated entry.')

async function endSessions(page: Page) {
  const cookies = await page.context().cookies()
  const token = cookies.find(({ name }) => name === 'XSRF-TOKEN')?.value ?? ''
  const answer = await page.request.post('/api/auth/sign-out', { headers: { 'X-XSRF-TOKEN': token }, data: {} })
  expect(answer.status()).toBe(200)
}

async function signInAgain(page: Page) {
  await signedOut(page).getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(signedOut(page)).toHaveCount(0)
}

async function editing(page: Page, instance: Instance) {
  await page.goto('/tools/keepalive/create')
  await url(page).fill(instance.target.url('/own'))
  await page.getByRole('switch', { name: 'Active' }).uncheck()
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByLabel('ID', { exact: true })).toBeVisible()
  await url(page).fill(instance.target.url('/half-filled'))
}

test('When the session ends', async ({ openBrowserAs, instance, holds }) => {
  await createTestUser(instance, 'vera', { Tools: 1 })
  await createTestUser(instance, 'otto', { Tools: 1 })
  const page = await openBrowserAs('vera')
  await editing(page, instance)

  await holds('A form with unsaved changes stays, and a dialog asks to sign in again.', async () => {
    await endSessions(page)
    await expect(signedOut(page)).toContainText('Your unsaved changes are still here. Sign in again to save them.')
    await expect(url(page)).toHaveValue(instance.target.url('/half-filled'))
    await expect(page).toHaveURL(/\/tools\/keepalive\/modify\?id=/)
  })
  await holds('The dialog, and the note that remains after closing it, are accessible.', async () => {
    expect(await accessibilityViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(signedOut(page)).toHaveCount(0)
    expect(await accessibilityViolations(page)).toEqual([])
  })
  await holds('Closing the dialog leaves a note next to Save; saving asks again.', async () => {
    await expect(page.getByText("You're signed out. Sign in to save your changes.")).toBeVisible()
    await page.keyboard.press('ControlOrMeta+s')
    await expect(signedOut(page)).toBeVisible()
    await expect(url(page)).toHaveValue(instance.target.url('/half-filled'))
  })
  await holds('A wrong password shows an error at its field.', async () => {
    await expect(signedOut(page).getByLabel('Username')).toHaveValue('vera')
    await expect(signedOut(page).getByRole('link')).toHaveCount(0)
    await signedOut(page).getByLabel('Password').fill('not my password')
    await page.keyboard.press('Enter')
    await expect(signedOut(page).getByRole('alert')).not.toBeEmpty()
  })
  await holds('After signing in as another user, nothing is saved in that user’s name unasked.', async () => {
    await signedOut(page).getByLabel('Username').fill('otto')
    await signedOut(page).getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    const other = page.getByRole('dialog', { name: "You're signed in as otto" })
    await expect(other).toContainText('made by vera')
    await expect(other).toContainText('switch back, which signs out otto')
    await page.keyboard.press('Escape')
    await page.keyboard.press('ControlOrMeta+s')
    await expect(other).toBeVisible()
    await other.getByRole('button', { name: 'Switch back' }).click()
    await expect(signedOut(page)).toBeVisible()
  })
  await holds('After signing in again in the dialog, Save saves the typed text.', async () => {
    await signInAgain(page)
    await page.keyboard.press('ControlOrMeta+s')
    await expect(saved(page)).toBeVisible()
    await expect(url(page)).toHaveValue(instance.target.url('/half-filled'))
  })
  await holds('After signing in again in another tab, Save works, too.', async () => {
    await url(page).fill(instance.target.url('/typed-again'))
    await endSessions(page)
    await expect(signedOut(page)).toBeVisible()
    const answer = await page.request.post('/api/auth/sign-in/username', { data: { username: 'vera', password } })
    expect(answer.status()).toBe(200)
    await expect(signedOut(page)).toHaveCount(0)
    await page.keyboard.press('ControlOrMeta+s')
    await expect(page.getByText('Unsaved changes')).toHaveCount(0)
    await expect(url(page)).toHaveValue(instance.target.url('/typed-again'))
  })
  await holds('Signing in as another user in another tab is detected before anything is saved.', async () => {
    await url(page).fill(instance.target.url('/not-otto'))
    const answer = await page.request.post('/api/auth/sign-in/username', { data: { username: 'otto', password } })
    expect(answer.status()).toBe(200)
    await page.request.get('/api/v1/auth/session')
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
    await page.keyboard.press('ControlOrMeta+s')
    await expect(page.getByRole('dialog', { name: "You're signed in as otto" })).toBeVisible()
    await page.getByRole('button', { name: 'Continue anyway' }).click()
    await expect(page.getByText('Unsaved changes')).toBeVisible()
    expect(sent).toEqual([])
  })
  await holds('Switch back asks to sign in again, even if that dialog was closed before.', async () => {
    const signIn = (username: string) =>
      page.request.post('/api/auth/sign-in/username', { data: { username, password } })
    await endSessions(page)
    await signedOut(page).getByRole('button', { name: 'Not now' }).click()
    await signIn('vera')
    await page.request.get('/api/v1/auth/session')
    await page.keyboard.press('ControlOrMeta+s')
    await page
      .getByRole('dialog', { name: "You're signed in as vera" })
      .getByRole('button', { name: 'Switch back' })
      .click()
    await expect(signedOut(page)).toBeVisible()
    await expect(toasts(page, 'danger')).toHaveCount(0)
    await signInAgain(page)
    await expect(page.getByText('Unsaved changes')).toBeVisible()
  })
  await holds('Without unsaved changes, the screen redirects to the error page.', async () => {
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect(page.getByText('Unsaved changes')).toHaveCount(0)
    await endSessions(page)
    await expect(page).toHaveURL('/auth/error?error=AccessDenied')
  })
})

test('following a link during a save shows no question once that save has ended', async ({
  openBrowserAs,
  instance,
}) => {
  await createTestUser(instance, 'lina', { Tools: 1 })
  const page = await openBrowserAs('lina')
  await editing(page, instance)
  const questions: string[] = []
  page.on('dialog', (dialog) => {
    questions.push(dialog.message())
    void dialog.accept()
  })
  const answer = await delayRequests(page, '**/api/v1/keepalive')
  const allow = await delayRequests(page, '**/auth/session')
  const asked = page.waitForRequest('**/auth/session')
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByRole('main').getByRole('link', { name: 'Keep Alive', exact: true }).click()
  await asked
  answer()
  await expect(saved(page)).toBeVisible()
  allow()
  await expect(page).toHaveURL('/tools/keepalive/viewlist')
  expect(questions).toEqual([])
})

test('When the session ends during a dialog @release', async ({ openBrowserAs, instance, holds }) => {
  await createTestUser(instance, 'dora', { Tools: 1 })
  const page = await openBrowserAs('dora')

  for (const [path, place, label] of [
    ['/user/channels', 'New channel', 'Name (optional)'],
    ['/user', 'Edit your details', 'Name'],
    ['/user/security', 'Password', 'New password'],
    ['/user/data', 'Import', 'Or paste its content'],
    ['/tools/analyticsbadge/badges', 'Claimed tags', 'New tag'],
  ] as const) {
    await page.goto(path)
    const isCard = place === 'Password' || place === 'Claimed tags'
    if (place !== 'Claimed tags')
      await page.getByRole('button', { name: isCard ? 'Change password' : place, exact: true }).click()
    const form = isCard ? page.getByRole('region', { name: place }) : page.getByRole('dialog')
    if (place === 'Password') await form.getByLabel('Current password').fill(password)
    const name = form.getByLabel(label, { exact: true })
    await name.fill('Half_typed')
    await endSessions(page)
    await holds(`Text typed under “${place}” stays below the dialog for signing in again.`, async () => {
      await expect(signedOut(page)).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(signedOut(page)).toHaveCount(0)
      await expect(name).toHaveValue('Half_typed')
    })
    await holds(`After signing in again, the text under “${place}” is still there.`, async () => {
      if (place === 'Import') await form.getByRole('button', { name: 'Preview' }).click()
      else await name.press('Enter')
      await signInAgain(page)
      await expect(name).toHaveValue('Half_typed')
    })
  }
})

test('When a role is lost @release', async ({ openBrowserAs, instance, holds }) => {
  const vera = await createTestUser(instance, 'vera', { Tools: 1 })
  const page = await openBrowserAs('vera')
  const live = page.waitForResponse('**/api/v1/events*')
  const refuse = await delayRequests(page, '**/api/v1/user/status')
  await editing(page, instance)
  await live
  const note = page.getByText('your account no longer has the role this page needs')

  await holds('A form with unsaved changes stays, with a note that they cannot be saved.', async () => {
    await updateUser(instance, vera.id, { roles: { Tools: 0 } })
    await expect(note).toBeVisible()
    const refused = page.waitForResponse((answer) => answer.status() === 403)
    await page.keyboard.press('ControlOrMeta+s')
    await refused
    await expect(url(page)).toHaveValue(instance.target.url('/half-filled'))
  })
  await holds('A request of the screen that is refused later shows no further message.', async () => {
    const refused = page.waitForResponse('**/api/v1/user/status')
    refuse()
    expect((await refused).status()).toBe(403)
    await expect(note).toBeVisible()
    await expect(toasts(page, 'danger')).toHaveCount(0)
  })
  await holds('With the role restored, the note disappears and Save works.', async () => {
    await updateUser(instance, vera.id, { roles: { Tools: 1 } })
    await expect(note).toHaveCount(0)
    await expect(toasts(page, 'danger')).toHaveCount(0)
    await page.keyboard.press('ControlOrMeta+s')
    await expect(page.getByText('Unsaved changes')).toHaveCount(0)
    await expect(toasts(page, 'danger')).toHaveCount(0)
    await expect(url(page)).toHaveValue(instance.target.url('/half-filled'))
  })
  await holds('Once nothing is unsaved, the screen redirects to the error page.', async () => {
    await url(page).fill(instance.target.url('/given-up'))
    await updateUser(instance, vera.id, { roles: { Tools: 0 } })
    await expect(note).toBeVisible()
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect(page).toHaveURL('/auth/error?error=AccessDenied')
  })
})

test('In the admin area @release', async ({ openBrowserAs, instance, holds }) => {
  await createTestUser(instance, 'zoe', { Admin: 2 })
  const user = await createUniqueUser(instance)
  const page = await openBrowserAs('zoe')
  const name = page.getByLabel('Name', { exact: true })

  for (const [form, path] of [
    ['an edited user', modifyPathOf(user.email)],
    ['a new user', '/admin/user/create'],
  ] as const)
    await holds(`The form of ${form} stays, too.`, async () => {
      await page.goto(path)
      await name.fill('Half Filled')
      await endSessions(page)
      await signInAgain(page)
      await expect(name).toHaveValue('Half Filled')
      if (path !== '/admin/user/create') {
        await page.keyboard.press('ControlOrMeta+s')
        await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
      }
    })

  for (const [button, field, option] of [
    ['Status…', 'Status', 'Inactive'],
    ['Roles…', 'Tools', 'Full Access'],
    ['Tags…', 'Add', 'Moderator'],
  ] as const)
    await holds(`The choice for selected users under “${button}” stays, too.`, async () => {
      await page.goto('/admin/users')
      await rowOf(page, user.email).getByRole('checkbox').check()
      await page.getByRole('button', { name: button }).click()
      const dialog = page.getByRole('dialog', { name: '1 user' })
      await dialog.getByRole('combobox', { name: field, exact: true }).click()
      await page.getByRole('option', { name: option, exact: true }).click()
      if (field === 'Add') await page.keyboard.press('Escape')
      await endSessions(page)
      await signInAgain(page)
      await dialog.getByRole('button', { name: 'Set ' }).click()
      await expect(toasts(page, 'success', '1 ')).toBeVisible()
      await expect(dialog).toHaveCount(0)
    })
})

test.describe('without a password', () => {
  test.use({ signedInAs: 'ada' })
  test('A user who signs in with a provider @release', async ({ page, instance, holds }) => {
    const session = '**/api/v1/auth/session'
    let isSignedIn = true
    await page.route(session, async (route) => {
      const response = await route.fetch()
      const { user } = (await response.json()) as { user: object }
      await route.fulfill({ response, json: { user: isSignedIn ? { ...user, providers: [] } : null } })
    })
    await page.route('**/api/v1/keepalive/', (route) =>
      route.fulfill({ status: 401, json: { error: 'Not signed in.' } }),
    )
    await page.goto('/tools/keepalive/create')
    await url(page).fill(instance.target.url('/by-provider'))

    await holds('The user signs in again in a new tab, and the form waits.', async () => {
      isSignedIn = false
      await page.keyboard.press('ControlOrMeta+s')
      await expect(signedOut(page)).toContainText('Sign in again in a new tab, then come back to save them.')
      const opened = page.context().waitForEvent('page')
      await signedOut(page).getByRole('link', { name: 'Open sign-in page' }).click()
      const tab = await opened
      expect(new URL(tab.url()).pathname).not.toBe('/tools/keepalive/create')
      await tab.close()
      await expect(toasts(page, 'danger')).toHaveCount(0)
      isSignedIn = true
      await expect(signedOut(page)).toHaveCount(0)
      await expect(url(page)).toHaveValue(instance.target.url('/by-provider'))
    })
  })
})
