import type { Browser, Page } from '@playwright/test'
import { accessibilityViolations, expectFitsPhone } from '../../support/page/accessibility.ts'
import { delayRequests, expect, navigate, signInAs, test, toasts } from '../../support/page/kit.ts'
import { mailedLink } from '../../support/page/users.ts'
import { password } from '../../support/people.ts'
import { signIn as signInTo } from '../../support/process.ts'

const email = 'vera@example.com'
const roles = { Admin: 0, Tools: 2 }
const vera = {
  name: 'Vera',
  email,
  credUsername: 'vera',
  password: 'seven green teapots',
  tags: ['Verified', 'Moderator'],
  roles,
}

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name })

const userOf = async (url: string, headers: Record<string, string>) =>
  ((await (await fetch(`${url}/api/v1/auth/session`, { headers })).json()) as { user: unknown }).user
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'

/** Signs the user in to another browser, whose user agent is Firefox on Windows. */
async function another(browser: Browser, url: string, username: string) {
  const context = await browser.newContext({ baseURL: url, userAgent: firefox })
  await signInAs(context, url, username)
  return context
}

test('The profile', async ({ page, instance, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/status of 409/)
  const { status, body } = await instance.call<{ id: string }>('POST', '/api/v1/admin/user', vera)
  expect(status).toBe(201)
  const fact = (name: string) =>
    card(page, 'User Details').locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]')

  await holds('Without a session it redirects to sign-in first, and returns afterwards.', async () => {
    await page.goto('/user')
    await expect(page).toHaveURL('/auth/signin')
    await page.getByRole('link', { name: 'Sign in with username and password' }).click()
    await page.getByLabel('Username').fill('vera')
    await page.getByLabel('Password').fill(vera.password)
    await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
    await expect(page).toHaveURL('/user')
    await expect(page).toHaveTitle('ToolBox - User Profile')
  })
  await holds('User Details shows Account Name, Email, Account Status and Tags.', async () => {
    await expect(card(page, 'User Details').locator('dt')).toHaveText([
      'Account Name',
      'Email',
      'Account Status',
      'Tags',
    ])
    await expect(fact('Account Name')).toHaveText('Vera')
    await expect(fact('Email')).toHaveText(email)
    await expect(fact('Account Status')).toHaveText('Active')
  })
  await holds('Each tag is shown as a pill.', async () => {
    const pills = fact('Tags').locator('> *')
    await expect(pills).toHaveText(vera.tags)
    for (const pill of await pills.all()) await expect(pill).not.toHaveCSS('border-radius', '0px')
  })
  await holds('Connected Providers is a table of Provider, ID, Username and Profile link.', async () => {
    const heads = card(page, 'Connected Providers').getByRole('columnheader')
    await expect(heads.filter({ visible: true })).toContainText(['Provider', 'ID', 'Username', 'Profile link'])
    const cells = card(page, 'Connected Providers')
      .getByRole('row', { name: /^Credentials/ })
      .getByRole('cell')
    await expect(cells.nth(0)).toHaveText('Credentials')
    await expect(cells.nth(1)).not.toBeEmpty()
    await expect(cells.nth(2)).toHaveText('vera')
  })
  await holds('The profile link of credentials opens /user in a new tab.', async () => {
    const visit = card(page, 'Connected Providers').getByRole('link', { name: 'Visit' })
    await expect(visit).toHaveAttribute('href', '/user')
    const [opened] = await Promise.all([page.waitForEvent('popup'), visit.click()])
    await expect(opened).toHaveURL('/user')
    await opened.close()
  })
  await holds('Assigned Roles is a table of Role and Access Level, with names for the levels.', async () => {
    await expect(card(page, 'Assigned Roles').getByRole('columnheader')).toHaveText(['Role', 'Access Level'])
    await expect(
      card(page, 'Assigned Roles').getByRole('row', { name: 'Tools Admin Access', exact: true }),
    ).toBeVisible()
  })
  await holds('A role of level 0 is not shown.', async () => {
    await expect(card(page, 'Assigned Roles').locator('tbody').getByRole('row')).toHaveCount(1)
  })
  await holds('A level changed by an admin appears live: 1 is Full Access, 2 is Admin Access.', async () => {
    const { id } = body
    await instance.call('PATCH', '/api/v1/admin/user', { id, roles: { Admin: 2, Tools: 1 } })
    await expect(
      card(page, 'Assigned Roles').getByRole('row', { name: 'Tools Full Access', exact: true }),
    ).toBeVisible()
    await expect(
      card(page, 'Assigned Roles').getByRole('row', { name: 'Admin Admin Access', exact: true }),
    ).toBeVisible()
  })
  await holds('Edit changes Name and Email; a new email is Unverified until a mailed link confirms it.', async () => {
    const edit = card(page, 'User Details').getByRole('button', { name: 'Edit your details' })
    await edit.click()
    const dialog = page.getByRole('dialog', { name: 'Edit your details' })
    await expect(dialog.getByRole('textbox')).toHaveCount(2)
    await dialog.getByLabel('Email').fill('grace@example.com')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog.getByRole('alert')).toHaveText('This email is already in use.')
    await dialog.getByLabel('Name').fill('Vera R')
    await dialog.getByLabel('Email').fill(`new-${email}`)
    const answer = await delayRequests(page, '**/api/v1/user')
    await page.keyboard.press('Control+s')
    await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled()
    await dialog.getByLabel('Name').fill('Vera Rubin')
    await page.keyboard.press('Enter')
    answer()
    await expect(dialog).toHaveCount(0)
    await expect(edit).toBeFocused()
    await expect(fact('Account Name')).toHaveText('Vera Rubin')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Vera Rubin')
    await expect(fact('Email')).toContainText(`new-${email} Unverified`)
    await expect(fact('Email').getByRole('status')).toContainText("We've sent you a link")
    await page.goto(await mailedLink(instance, `new-${email}`, 'user/verify-email'))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByRole('heading', { name: 'Email confirmed' })).toBeVisible()
    await page.getByRole('link', { name: 'Go to your profile' }).click()
    await expect(fact('Email')).toContainText(`new-${email}`)
    await expect(fact('Email')).not.toContainText('Unverified')
  })
  await instance.call('DELETE', `/api/v1/admin/user?email=new-${email}`)
})

test('the latest sessions are listed, and each can be ended @release', async ({ page, context, browser, instance }) => {
  const username = 'is-everywhere'
  await instance.createTestUser(username)
  const others: Record<string, string>[] = []
  for (let count = 0; count < 5; count++) others.push(await signInTo(instance.url, { username, password }))
  const other = await another(browser, instance.url, username)
  const elsewhere = await other.newPage()
  await elsewhere.goto('/user')
  await expect(card(elsewhere, 'User Details')).toBeVisible()
  await signInAs(context, instance.url, username)
  await page.goto('/user/security')
  const sessions = card(page, 'Sessions')
  const rows = sessions.getByRole('row')
  await expect(rows).toHaveCount(1 + 5)
  await expect(rows.nth(1)).toContainText('This device')
  await expect(sessions.getByRole('row', { name: /Chrome on Linux.*This device/ })).toBeVisible()
  await sessions.getByRole('button', { name: 'Show all 7' }).click()
  await expect(rows).toHaveCount(1 + 7)

  await test.step('a session ended in another browser redirects to sign-in', async () => {
    const mark = sessions.getByRole('row', { name: /^Firefox on Windows/ })
    await expect(mark).toContainText('127.0.0.1')
    await expect(mark.getByText('Firefox on Windows')).toBeVisible()
    await expect(mark.getByTitle(firefox)).toBeVisible()
    await mark.getByRole('button', { name: 'Sign out Firefox on Windows' }).click()
    await expect(toasts(page, 'success', 'Signed out Firefox on Windows.')).toBeVisible()
    await expect(mark).toHaveCount(0)
    await expect(elsewhere).toHaveURL('/auth/signin')
    await expect(toasts(elsewhere, 'info', 'Your session has ended. Sign in to continue.')).toBeVisible()
    await other.close()
  })

  await test.step('one click ends all other sessions and keeps this one', async () => {
    // The page looks at both before it would open a dialog.
    const loaded = ['apikeys', 'channels'].map((part) => page.waitForResponse(`**/api/v1/user/${part}`))
    await sessions.getByRole('button', { name: 'Sign out other devices' }).click()
    await expect(toasts(page, 'success', 'Signed out 5 devices.')).toBeVisible()
    await expect(rows).toHaveCount(1 + 1)
    await expect(sessions.getByRole('button', { name: 'Sign out other devices' })).toHaveCount(0)
    for (const response of await Promise.all(loaded)) await response.finished()
    for (const headers of others) expect(await userOf(instance.url, headers)).toBeNull()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await sessions.getByRole('button', { name: 'Sign out' }).click()
    await expect(page).toHaveURL('/')
    await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
    await expect(page.getByText('Your session has ended.')).toHaveCount(0)
  })
})

test('signing out other devices lists new keys and channels @release', async ({ page, context, instance }) => {
  const username = 'was-robbed'
  await instance.createTestUser(username)
  await signInTo(instance.url, { username, password })
  await signInAs(context, instance.url, username)
  await page.goto('/user/security')
  const xsrf = (await context.cookies()).find(({ name }) => name === 'XSRF-TOKEN')?.value ?? ''
  const post = async (path: string, data: object) => {
    const answer = await context.request.post(`${instance.url}/api/v1/user/${path}`, {
      data,
      headers: { 'x-xsrf-token': xsrf },
    })
    expect(answer.status()).toBe(201)
  }
  await post('apikeys', { name: "A thief's key", scopes: ['read'], expiresAt: null })
  await post('channels', {
    name: "A thief's channel",
    type: 'webhook',
    settings: { url: instance.target.url('/hook') },
  })
  await card(page, 'Sessions').getByRole('button', { name: 'Sign out other devices' }).click()
  const review = page.getByRole('dialog', { name: 'Check what was created recently' })
  await expect(review).toContainText("Delete any you don't recognize.")
  expect.soft(await accessibilityViolations(page), 'recently created').toEqual([])
  for (const [name, kind] of [
    ["A thief's key", 'API key'],
    ["A thief's channel", 'Channel'],
  ] as const) {
    const mark = review.getByRole('row', { name: new RegExp(`^${name}`) })
    await expect(mark).toContainText(kind)
    await mark.getByRole('button', { name: `Delete ${name}` }).click()
    await page.getByRole('button', { name: 'Yes, Nuke it' }).click()
    await expect(toasts(page, 'success', `Deleted the ${kind.replace('C', 'c')} ${name}.`)).toBeVisible()
    await expect(mark).toHaveCount(0)
  }
  await expect(review).toContainText('Nothing is left to check.')
  await review.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await navigate(page, '/user/keys')
  await expect(card(page, 'API Keys')).toContainText('No API keys yet.')
})

test('a key can be created, is shown once, works, and can be deleted', async ({
  page,
  context,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 400/)
  const username = 'a-name-of-thirty-letters-or-so'
  await instance.createTestUser(username)
  await signInAs(context, instance.url, username)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/user/keys')
  await expect(card(page, 'API Keys')).toContainText('No API keys yet.')
  await page.getByRole('button', { name: 'Fill in an example' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await expect(dialog.getByText('Enter a name for the key.')).toBeVisible()
  await dialog.getByLabel('Name').fill('Backup script')
  await dialog.getByText('Never').click()
  await dialog.getByRole('button', { name: 'Create key' }).click()

  await expect(dialog).toContainText("You won't be able to see it again")
  // The list already contains the key, so it no longer offers an example.
  await expect(page.locator('tr', { hasText: 'Backup script' })).toBeAttached()
  const key = await dialog.getByLabel('Backup script').inputValue()
  expect(key).toMatch(/^tbx_/)
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await expect(dialog.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toHaveCount(0)

  const mark = row(page, /^Backup script/)
  await expect(mark).toContainText(`••••${key.slice(-4)}`)
  await expect(mark).toContainText('Never')
  await expect(mark.getByRole('cell', { name: 'read', exact: true })).toBeVisible()
  await page.reload()
  await expect(mark).toBeVisible()
  expect(await page.content()).not.toContain(key)

  const call = () => fetch(`${instance.url}/api/v1/user/inbox`, { headers: { authorization: `Bearer ${key}` } })
  expect((await call()).status).toBe(200)
  await mark.getByRole('button', { name: 'Delete Backup script' }).click()
  await expect(dialog).toContainText('Delete Backup script ?')
  await dialog.getByRole('button', { name: 'Yes, Nuke it' }).click()
  await expect(toasts(page, 'success', 'Deleted the API key Backup script.')).toBeVisible()
  await expect(mark).toHaveCount(0)
  expect((await call()).status).toBe(401)

  await test.step('a key can have both scopes and a last day, and needs at least one scope', async () => {
    await page.getByRole('button', { name: 'New API key' }).click()
    await dialog.getByLabel('Name').fill('W'.repeat(60))
    await dialog.getByLabel('read').uncheck()
    await page.keyboard.press('Control+s')
    await expect(dialog.getByText('Choose at least one scope.')).toBeVisible()
    await dialog.getByLabel('read').check()
    await dialog.getByLabel('write').check()
    await dialog.getByText('A date').click()
    await page.keyboard.press('Control+s')
    await expect(dialog.getByText('Choose a date.')).toBeVisible()
    expect.soft(await accessibilityViolations(page), 'new key').toEqual([])
    await dialog.getByLabel('Last day').fill('2031-12-24')
    await page.keyboard.press('Control+s')
    await expect(dialog).toContainText('Your new API key')
    expect.soft(await accessibilityViolations(page), 'fresh key').toEqual([])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(row(page, /^WWWW/)).toContainText('read, write')
    await expect(row(page, /^WWWW/)).toContainText('24/12/2031 11:59:59 PM')
  })

  await test.step('a key is shown even if its dialog was closed and opened again while it was being created', async () => {
    const closed = Promise.withResolvers<void>()
    await page.route('**/user/apikeys', async (route) => {
      if (route.request().method() === 'POST') await closed.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'New API key' }).click()
    await dialog.getByLabel('Name').fill('Closed early')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('button', { name: 'Create key' })).toBeDisabled()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await page.getByRole('button', { name: 'New API key' }).click()
    await expect(dialog.getByLabel('Name')).toHaveValue('')
    closed.resolve()
    await expect(dialog.getByLabel('Closed early')).toHaveValue(/^tbx_/)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(dialog).toHaveCount(0)
    await page.unroute('**/user/apikeys')
  })

  await test.step('a full profile is accessible and fits a phone', async () => {
    for (const path of ['/user', '/user/keys', '/user/security']) await expectFitsPhone(page, path)
    await page.setViewportSize({ width: 360, height: 740 })
    expect.soft(await accessibilityViolations(page), 'profile on a phone').toEqual([])
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await test.step('a new password requires the current one and ends the other sessions', async () => {
    await navigate(page, '/user/security')
    const other = await signInTo(instance.url, { username, password })
    const form = card(page, 'Password')
    const advice = form.getByText('Your password was set by an admin.')
    await expect(advice).toBeVisible()
    await form.getByRole('button', { name: 'Change password' }).click()
    await form.getByLabel('Current password').fill('not my password')
    await form.getByLabel('New password').fill('nine purple kettles')
    await form.getByRole('button', { name: 'Change password' }).click()
    await expect(form.getByText('Current password is incorrect.')).toBeVisible()
    await expect(toasts(page, 'danger')).toHaveCount(0)
    await form.getByLabel('Current password').fill(password)
    await form.getByLabel('New password').fill('eight purple kettles')
    const answer = await delayRequests(page, '**/api/v1/user/password')
    await page.keyboard.press('Enter')
    await expect(form.getByRole('button', { name: 'Change password' })).toBeDisabled()
    await form.getByLabel('New password').fill('nine purple kettles')
    await page.keyboard.press('Enter')
    answer()
    await expect(toasts(page, 'success', 'Successfully updated credentials.')).toBeVisible()
    await expect(dialog).toContainText('Check what was created recently')
    await expect(dialog.getByRole('row', { name: /^WWWW/ })).toContainText('API key')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(form.getByLabel('Current password')).toHaveCount(0)
    await expect(advice).toHaveCount(0)
    expect(await userOf(instance.url, other)).toBeNull()
    await signInTo(instance.url, { username, password: 'nine purple kettles' })
  })
})

test('recent activity shows failed sign-ins with browser and address', async ({ page, context, instance }) => {
  await instance.createTestUser('watchful')
  const signIn = (secret: string) =>
    context.request.post(`${instance.url}/api/auth/sign-in/username`, {
      data: { username: 'watchful', password: secret },
    })
  expect((await signIn('not my password')).status()).toBe(401)
  expect((await signIn(password)).status()).toBe(200)
  await page.goto('/user/security')
  const activity = page.getByRole('region', { name: 'Recent Activity' })
  const rows = activity.getByRole('row').filter({ has: page.getByRole('cell') })
  await expect(rows).toHaveCount(3)
  await expect(rows.nth(0)).toContainText('Signed in')
  await expect(rows.nth(0)).toContainText('With: password')
  await expect(rows.nth(1)).toContainText('Failed sign-in')
  await expect(rows.nth(1)).toContainText('Wrong password: once')
  await expect(rows.nth(1)).toContainText(/Chrome on Linux.*(127\.0\.0\.1|::1)/)
  await expect(rows.nth(2)).toContainText('Created userBy an admin')
  expect(await accessibilityViolations(page)).toEqual([])
  await expectFitsPhone(page, '/user/security')
})
