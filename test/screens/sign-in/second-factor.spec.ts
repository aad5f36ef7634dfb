import type { Page, Route } from '@playwright/test'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { totpCode } from '../../support/authenticator.ts'
import { accessibilityViolations } from '../../support/page/accessibility.ts'
import { startInstance } from '../../support/page/instance.ts'
import { delayRequests, expect, navigate, signInAs, toasts } from '../../support/page/kit.ts'
import { signOutBrowser, stranger, test } from '../../support/page/outside.ts'
import {
  createTestUser,
  createUniqueUser,
  expireReauthentication,
  field,
  modifyPathOf,
  readUser,
  save,
} from '../../support/page/users.ts'
import { addVirtualAuthenticator, withHostName } from '../../support/page/virtual-authenticator.ts'
import { password } from '../../support/people.ts'

test.use({ allowedConsoleErrors: [/status of 40[013]/] })

const card = (page: Page, name: string) => page.getByRole('region', { name })
async function typePassword(page: Page, url: string, username: string) {
  await page.goto(`${url}/auth/signin/user`)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
}
/** Sets up an authenticator app; returns its otpauth URI and the recovery codes. */
async function setUpApp(page: Page, role: 'dialog' | 'main') {
  const steps = page.getByRole(role)
  await steps.getByLabel('Current password').fill(password)
  await steps.getByRole('button', { name: 'Continue' }).click()
  const list = steps.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect(list).toHaveCount(10)
  const codes = await list.allInnerTexts()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('toolbox-recovery-codes.txt')
  await page.getByRole('button', { name: "I've saved them" }).click()
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  const uri = `otpauth://totp/ToolBox:x?secret=${await page.getByLabel('Key', { exact: true }).inputValue()}`
  expect(await accessibilityViolations(page)).toEqual([])
  // Checked this late, since toasts take a moment to load, but before success closes those of errors.
  await expect(toasts(page, 'danger')).toHaveCount(0)
  await page.getByLabel('Code', { exact: true }).fill(totpCode(uri, Date.now()))
  await page.getByRole('button', { name: 'Turn on' }).click()
  return { uri, codes }
}
const question = (page: Page) => page.getByRole('dialog', { name: "Confirm that it's you" })
const newKey = (page: Page) => page.getByRole('dialog', { name: 'New API key' })
async function makeKey(page: Page, name: string) {
  await page.getByRole('button', { name: 'New API key' }).click()
  await newKey(page).getByLabel('Name').fill(name)
  await newKey(page).getByRole('button', { name: 'Create key' }).click()
}

test('sign-in requires the code of a set-up app, or a recovery code', async ({ page, context, instance }) => {
  await instance.createTestUser('two-steps')
  await signInAs(context, instance.url, 'two-steps')
  await page.goto('/user/security')
  const part = card(page, 'Two-step sign-in')
  await part.getByRole('button', { name: 'Set up' }).click()
  // The change may arrive over the live stream before the response does.
  const answerLate = async (route: Route) => {
    const response = await route.fetch()
    await expect(page.getByText('You have 10 recovery codes left.')).toBeAttached()
    await route.fulfill({ response })
  }
  await page.route('**/two-factor/verify-totp', answerLate, { times: 1 })
  const { codes } = await setUpApp(page, 'dialog')
  await expect(toasts(page, 'success', 'Two-step sign-in is on.')).toBeVisible()
  await expect(part).toContainText('You have 10 recovery codes left.')
  await signOutBrowser(page)
  await typePassword(page, instance.url, 'two-steps')
  await expect(page).toHaveURL('/auth/second-step')
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByLabel('Code', { exact: true }).fill('000000')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('Wrong code.')
  // The next code may be typed while a wrong one is being checked.
  const answer = await delayRequests(page, '**/two-factor/verify-totp')
  await page.getByLabel('Code', { exact: true }).fill('000000')
  await page.keyboard.press('Enter')
  await page.getByLabel('Code', { exact: true }).fill('11111')
  answer()
  await expect(page.getByRole('button', { name: 'Continue' })).toBeEnabled()
  await expect(page.getByLabel('Code', { exact: true })).toHaveValue('11111')
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(codes[0] ?? '')
  // Returning to the tab before the response finds a sign-in that is no longer pending.
  const comeBackFirst = async (route: Route) => {
    const response = await route.fetch()
    await page.evaluate("void dispatchEvent(new Event('visibilitychange'))")
    await expect(page.getByText('This sign-in has expired.')).toBeVisible()
    await route.fulfill({ response })
  }
  await page.route('**/two-factor/verify-backup-code', comeBackFirst, { times: 1 })
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('two-steps')
  await navigate(page, '/user/security')
  await expect(part).toContainText('You have 9 recovery codes left.')
  await part.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('dialog').getByLabel('Current password').fill(password)
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
  await expect(part.getByRole('button', { name: 'Set up' })).toBeVisible()
  await expect(toasts(page, 'success', 'Two-step sign-in is off.')).toBeVisible()
})

test('a user with a username but no password is not asked for a password', async ({ page, context, instance }) => {
  const { id } = await createTestUser(instance, 'only-username')
  await signInAs(context, instance.url, 'only-username')
  const db = openSqlite(instance.folder)
  await db.q.deleteFrom('provider_links').where('user_id', '=', id).execute()
  await db.close()
  await page.goto('/user/security')
  await card(page, 'Two-step sign-in').getByRole('button', { name: 'Set up' }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Continue' })).toBeVisible()
  await expect(page.getByRole('dialog').getByLabel('Current password')).toHaveCount(0)
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Change password' })).toHaveCount(0)
})

test('a passkey can be added, renamed, used to sign in and deleted', async ({ page, context, instance }) => {
  const url = withHostName(instance.url)
  const device = await addVirtualAuthenticator(page)
  await instance.createTestUser('has-passkey')
  await signInAs(context, url, 'has-passkey')
  await page.goto(`${url}/user/security`)
  const part = card(page, 'Passkeys')
  await part.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await expect(toasts(page, 'success', 'Added the passkey Laptop.')).toBeVisible()
  await part.getByRole('button', { name: 'Rename Laptop' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Old laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(part.getByRole('row', { name: /Old laptop/ })).toContainText('Never')
  await signOutBrowser(page)
  await page.goto(`${url}/auth/signin`)
  await device.setUserVerified(false)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(toasts(page, 'danger', 'This was canceled or took too long.')).toBeVisible()
  await device.setUserVerified(true)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('has-passkey')
  await navigate(page, '/user/security')
  await expect(part.getByRole('row', { name: /Old laptop/ })).not.toContainText('Never')
  await test.step('the dialog of a passkey that another tab has deleted stays', async () => {
    await part.getByRole('button', { name: 'Rename Old laptop' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Half typed')
    await page.route('**/user/second-factor', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), passkeys: [] } })
    })
    // The page asks again only for data that is a few seconds old.
    await page.clock.install()
    await page.clock.fastForward('00:10')
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await expect(page.getByRole('row', { name: /Old laptop/, includeHidden: true })).toHaveCount(0)
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Half typed')
    await page.unroute('**/user/second-factor')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  })
  await part.getByRole('button', { name: 'Delete Half typed' }).click()
  await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
  await expect(part.getByRole('row')).toHaveCount(0)
})

test('a required second factor must be set up before anything else @release', async ({ page, context, playwright }) => {
  const instance = await startInstance(playwright.request, { REQUIRE_SECOND_FACTOR: 'all' })
  try {
    await signInAs(context, instance.url, 'grace')
    await page.goto(`${instance.url}/user`)
    await expect(page).toHaveURL(`${instance.url}/auth/second-factor`)
    await page.goto(`${instance.url}/`)
    await expect(page).toHaveURL(`${instance.url}/auth/second-factor`)
    await setUpApp(page, 'main')
    await expect(toasts(page, 'success', 'Two-step sign-in is on.')).toBeVisible()
    await navigate(page, '/user/security')
    await expect(card(page, 'Sessions').getByRole('row', { name: /This device/ })).toBeVisible()
    await expect(card(page, 'Two-step sign-in').getByRole('button', { name: 'Turn off' })).toHaveCount(0)
  } finally {
    await page.goto('about:blank')
    await instance.close()
  }
})

test('creating a key requires the password, and canceling keeps the name', async ({ page, context, instance }) => {
  await createTestUser(instance, 'proves', { Admin: 2 })
  await signInAs(context, instance.url, 'proves')
  await expireReauthentication(instance, 'proves')
  await page.goto('/user/keys')
  await makeKey(page, 'Backup script')
  await expect(question(page).getByLabel('Password')).toBeFocused()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(question(page)).toHaveCount(0)
  await expect(newKey(page).getByLabel('Name')).toHaveValue('Backup script')
  await expect(toasts(page)).toHaveCount(0)
  await expect(newKey(page).getByRole('alert')).toHaveCount(0)
  await expect(newKey(page).getByLabel('Name')).toBeFocused()

  await newKey(page).getByRole('button', { name: 'Create key' }).click()
  await question(page).getByLabel('Password').fill('not the password')
  await page.keyboard.press('Enter')
  await expect(question(page)).toContainText('Wrong password.')
  await question(page).getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').getByLabel('Backup script')).toHaveValue(/^tbx_/)
  await expect(question(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Done' }).click()

  await test.step('raising a role requires the password, too', async () => {
    const user = await createUniqueUser(instance)
    await expireReauthentication(instance, 'proves')
    await navigate(page, modifyPathOf(user.email))
    await field(page, 'Name').fill('Grace Hopper')
    await page.getByRole('radio', { name: 'Tools: Full Access' }).check()
    await save(page).click()
    await question(page).getByLabel('Password').fill(password)
    await question(page).getByRole('button', { name: 'Confirm' }).click()
    await expect(toasts(page, 'success', 'Successfully edited user.')).toBeVisible()
    expect(await readUser(instance, user.email)).toMatchObject({ name: 'Grace Hopper', roles: { Tools: 1 } })
  })
  await test.step('so does a channel for server problems, and canceling keeps the form', async () => {
    await expireReauthentication(instance, 'proves')
    await navigate(page, '/user/channels')
    await page.getByRole('button', { name: 'New channel' }).click()
    const form = page.getByRole('dialog', { name: 'New channel' })
    await form.getByText('Webhook', { exact: true }).click()
    await form.getByLabel('URL', { exact: true }).fill(instance.target.url('/hook'))
    await form.getByLabel('Name (optional)').fill('On call')
    await form.getByLabel('Problems with this server').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(question(page).getByLabel('Password')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(form.getByLabel('Name (optional)')).toHaveValue('On call')
    await expect(form.getByLabel('Problems with this server')).toBeChecked()
    await form.getByRole('button', { name: 'Save' }).click()
    await question(page).getByLabel('Password').fill(password)
    await question(page).getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByRole('heading', { name: 'Channel saved' })).toBeVisible()
    await page.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('row', { name: /On call/ })).toBeVisible()
  })
})

test('new recovery codes appear even if their dialog was closed meanwhile', async ({ page, context, instance }) => {
  await instance.createTestUser('closes-early')
  await signInAs(context, instance.url, 'closes-early')
  await page.goto('/user/security')
  await card(page, 'Two-step sign-in').getByRole('button', { name: 'Set up' }).click()
  await setUpApp(page, 'dialog')
  await page.getByRole('button', { name: 'New recovery codes' }).click()
  const dialog = page.getByRole('dialog', { name: 'New recovery codes' })
  const answer = await delayRequests(page, '**/generate-backup-codes')
  const sent = page.waitForRequest('**/generate-backup-codes')
  await dialog.getByLabel('Current password').fill(password)
  await dialog.getByRole('button', { name: 'Create codes' }).click()
  await sent
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  answer()
  await expect(dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toHaveCount(0)
})

test('a passkey confirms its own deletion within the same session @release', async ({ page, context, instance }) => {
  const url = withHostName(instance.url)
  await addVirtualAuthenticator(page)
  await instance.createTestUser('by-passkey')
  await signInAs(context, url, 'by-passkey')
  await page.goto(`${url}/user/security`)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await page
    .getByRole('region', { name: 'Passkeys' })
    .getByRole('button', { name: /^Delete / })
    .click()
  await expireReauthentication(instance, 'by-passkey')
  await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
  await question(page).getByRole('button', { name: 'Confirm with a passkey' }).click()
  await expect(toasts(page, 'success', 'Deleted the passkey')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Passkeys' }).getByRole('row')).toHaveCount(0)
  await page.reload()
  const activity = page.getByRole('region', { name: 'Recent Activity' })
  await expect(activity.getByRole('row', { name: /Deleted passkey/ })).toBeVisible()
  await expect(activity.getByRole('row', { name: /Signed in/ })).toHaveCount(1)
})

test('a provider confirms the user in a popup @release', async ({
  page,
  context,
  instance,
  fakeProviders: { github },
}) => {
  const octo = stranger('octo.proves')
  github.person(octo)
  await page.goto('/auth/signin')
  await page.getByRole('button', { name: 'Sign in with GitHub' }).click()
  await expect(page).toHaveURL('/')
  await expireReauthentication(instance, 'octo.proves')
  await navigate(page, '/user/keys')
  await makeKey(page, 'By GitHub')
  github.person(stranger('octo.else'))
  const other = context.waitForEvent('page')
  await question(page).getByRole('button', { name: 'Confirm with GitHub' }).click()
  await expect((await other).getByText("isn't one of your sign-in methods")).toBeVisible()
  await (await other).close()
  await expect(question(page)).toBeVisible()

  github.person(octo)
  const popup = context.waitForEvent('page')
  await question(page).getByRole('button', { name: 'Confirm with GitHub' }).click()
  await expect(page.getByRole('dialog').getByLabel('By GitHub')).toHaveValue(/^tbx_/)
  await expect.poll(async () => (await popup).isClosed()).toBe(true)
})
