import type { Page, Request } from '@playwright/test'
import { delayRequests, expect, test, toasts } from '../../support/page/kit.ts'
import { createTestUser, mailedLink } from '../../support/page/users.ts'
import { password } from '../../support/people.ts'
import { admin } from '../../support/process.ts'

const main = (page: Page) => page.getByRole('main')
async function fillIn(page: Page, username: string, password: string) {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
}
/** Signs the admin in at the form and waits for Home. */
async function signInAsAdmin(page: Page) {
  await page.goto('/auth/signin/user')
  await fillIn(page, admin.username, admin.password)
  await expect(page).toHaveURL('/')
}
async function signAdminOut(page: Page) {
  await page.getByRole('banner').getByRole('button', { name: admin.username }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}
const signInLink = (page: Page) => page.getByRole('banner').getByRole('link', { name: 'Sign in' })

test('Signing in with a password', async ({ page, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/status of 401/)
  await page.goto('/auth/signin')
  await holds('Without a configured provider the sign-in page reads so and offers a passkey.', async () => {
    await expect(page).toHaveTitle('ToolBox - Sign in')
    await expect(main(page).getByText('No sign-in provider is configured.')).toBeVisible()
    await expect(main(page).getByRole('button')).toHaveText(['Use a passkey'])
  })
  await holds('Only /auth/signin/user has the form for credentials.', async () => {
    await expect(main(page).getByRole('textbox')).toHaveCount(0)
    await page.goto('/auth/signin/somebody')
    await expect(main(page).getByText('No sign-in provider is configured.')).toBeVisible()
    await expect(main(page).getByRole('textbox')).toHaveCount(0)
    await main(page).getByRole('link', { name: 'Sign in with username and password' }).click()
    await expect(page).toHaveURL('/auth/signin/user')
  })
  await holds('It has the required fields Username and Password, and Sign in with Credentials.', async () => {
    for (const name of ['Username', 'Password']) await expect(page.getByLabel(name)).toHaveAttribute('required')
    await expect(page.getByLabel('Password')).toHaveAttribute('type', 'password')
    await expect(main(page).getByRole('button')).toHaveText(['Sign in with Credentials'])
  })
  await holds('Username has the focus.', async () => {
    await expect(page.getByLabel('Username')).toBeFocused()
  })
  await holds('With a mail server, Forgot password? leads to a page with only an Email field.', async () => {
    await main(page).getByRole('link', { name: 'Forgot password?' }).click()
    await expect(page).toHaveTitle('ToolBox - Reset your password')
    await expect(main(page).getByRole('textbox')).toHaveCount(1)
    await expect(page.getByLabel('Email')).toHaveAttribute('required')
  })
  await holds('An unknown email shows the same message: a link was sent if an account has it.', async () => {
    await page.getByLabel('Email').fill('nobody-has-this@example.com')
    await main(page).getByRole('button').click()
    await expect(main(page).getByRole('status')).toContainText('If nobody-has-this@example.com is the confirmed email')
    await main(page).getByRole('link', { name: 'Back to sign-in' }).click()
    await expect(page).toHaveURL('/auth/signin/user')
  })
  await holds('Nothing is sent while Username or Password is empty.', async () => {
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') sent += 1
    })
    await page.getByLabel('Username').fill(admin.username)
    await main(page).getByRole('button').click()
    await expect(page.getByLabel('Password')).toBeFocused()
    expect(sent).toBe(0)
  })
  await test.step('a wrong password and an unknown username show the same message', async () => {
    for (const username of [admin.username, 'nobody-of-this-name']) {
      await fillIn(page, username, 'not my password')
      await expect(main(page).getByRole('alert')).toHaveText('Wrong username or password.')
      await expect(page.getByLabel('Password')).toHaveAccessibleDescription('Wrong username or password.')
      await expect(page.getByLabel('Password')).toBeFocused()
      await expect(toasts(page)).toContainText('Wrong username or password.')
      await expect(page).toHaveURL('/auth/signin/user')
      await page.getByLabel('Password').fill('other')
      await expect(main(page).getByRole('alert')).toHaveCount(0)
    }
    await page.getByLabel('Username').fill(admin.username)
  })
  await holds('A late refusal leaves a user who goes on typing alone, and marks no password typed since.', async () => {
    for (const [name, before, now, mistake] of [
      ['Password', 'correct ', 'correct horse', ''],
      ['Username', 'ver', 'vera2', /^Wrong/],
    ] as const) {
      const answer = await delayRequests(page, '**/sign-in/username')
      await fillIn(page, 'ver', 'correct')
      await page.getByLabel(name).fill(before)
      const refused = page.waitForResponse('**/sign-in/username')
      answer()
      await refused
      await expect(main(page).getByRole('button')).toBeEnabled()
      await expect(page.getByLabel('Password')).toHaveAccessibleDescription(mistake)
      await page.keyboard.type(now.slice(before.length))
      await expect(page.getByLabel(name)).toHaveValue(now)
    }
    const answer = await delayRequests(page, '**/sign-in/username')
    await fillIn(page, 'ver', 'correct')
    await page.getByLabel('Password').fill('correct horse')
    const resent = page.waitForRequest((request) => request.postDataJSON()?.password === 'correct horse')
    await page.keyboard.press('Enter')
    await resent
    answer()
    await expect(page.getByLabel('Password')).toHaveAccessibleDescription(/^Wrong/)
    await page.getByLabel('Username').fill(admin.username)
  })
  await holds('Signing in leads to Home, where the header shows the user instead of Sign in.', async () => {
    await page.getByLabel('Password').fill(admin.password)
    await main(page).getByRole('button').click()
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('banner').getByRole('button', { name: admin.username })).toBeVisible()
    await expect(signInLink(page)).toHaveCount(0)
    await expect(toasts(page, 'danger')).toHaveCount(0)
  })
  await holds('With a session, the sign-in page and the form redirect to Home.', async () => {
    for (const path of ['/auth/signin', '/auth/signin/user']) {
      await page.goto(path)
      await expect(page).toHaveURL('/')
    }
  })
  await holds('Sign out ends the session and returns to /.', async () => {
    await page.goto('/user')
    await signAdminOut(page)
    await expect(page).toHaveURL('/')
    await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
    await expect(signInLink(page)).toBeVisible()
    expect(await (await page.request.get('/api/v1/auth/session')).json()).toEqual({ user: null })
  })
})

test('The status of an account @release', async ({ page, instance, holds, allowConsoleErrors }) => {
  allowConsoleErrors(/status of 40[13]/)
  const user = { name: 'Sten', email: 'sten@example.com', credUsername: 'sten', password: 'seven green teapots' }
  const { body } = await instance.call<{ id: string }>('POST', '/api/v1/admin/user', user)
  const become = async (status: number) =>
    expect((await instance.call('PATCH', '/api/v1/admin/user', { id: body.id, status })).status).toBe(200)
  const signIn = async () => {
    await page.goto('/auth/signin/user')
    await fillIn(page, 'sten', user.password)
  }
  await holds('A new account is Active (2) and signs in.', async () => {
    await signIn()
    await expect(page).toHaveURL('/')
  })
  for (const [status, name, words] of [
    [0, 'Blocked', 'Your account is blocked.'],
    [1, 'Inactive', "Your account isn't active yet."],
  ] as const) {
    await holds(`An account that becomes ${name} (${status}) is signed out of open screens immediately.`, async () => {
      await page.goto('/user')
      await expect(page.getByText(user.email, { exact: true })).toBeVisible()
      await become(status)
      await expect(page).toHaveURL('/auth/signin')
    })
    await holds(`An account that is ${name} cannot sign in, and a toast states why.`, async () => {
      await signIn()
      await expect(toasts(page, 'danger', words)).toBeVisible()
      await expect(page).toHaveURL('/auth/signin/user')
    })
    await holds(`An account that was ${name} and becomes Active signs in again and returns to its page.`, async () => {
      await become(2)
      await signIn()
      await expect(page).toHaveURL('/user')
    })
  }
})

test('values that a password manager fills in without an event are sent', async ({ page }) => {
  await page.goto('/auth/signin/user')
  await page.getByLabel('Password').waitFor()
  const setValue = "Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set"
  for (const [field, value] of Object.entries({ username: admin.username, 'current-password': admin.password }))
    await page.evaluate(`${setValue}.call(document.querySelector('[autocomplete=${field}]'), '${value}')`)
  await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
  await expect(page).toHaveURL('/')
})

test('without an admin, the sign-in page explains where to find the set-up link', async ({ page }) => {
  await page.route('**/api/v1/config', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), needsAdmin: true } })
  })
  await page.goto('/auth/signin')
  await expect(main(page)).toContainText("open the set-up link printed in the server's terminal")
  await expect(main(page).getByRole('link')).toHaveText('Sign in with username and password')
})

test('the set-up page shows errors of its link, and of fields at each field @release', async ({
  page,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 403/)
  await page.goto('/auth/setup')
  await expect(page.getByText("Open the set-up link printed in the server's terminal.")).toBeVisible()
  const tell = await delayRequests(page, '**/api/v1/config')
  await page.goto('/auth/setup?token=spent')
  await expect(page.getByRole('banner')).toBeVisible()
  await expect(page.getByRole('textbox')).toHaveCount(0)
  tell()
  await expect(page.getByText('The first admin account already exists')).toBeVisible()
  await expect(page.getByRole('textbox')).toHaveCount(0)

  await page.goto('/auth/setup#token=any&for=password')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Username').fill('a b')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toHaveText([/letters/, 'Use at least 12 characters.'])
  await page.getByLabel('Username').fill('ada')
  await page.getByLabel('Password', { exact: true }).fill('seven green teapots')
  await page.keyboard.press('Enter')
  // The errors at the fields have shown no toast: it would precede this one.
  await expect(toasts(page)).toHaveText([/expired or was already used/])
})

test('the home link and the logo are visible while the app’s script loads @release', async ({ page }) => {
  const send = await delayRequests(page, '**/assets/index-*.js')
  await page.goto('/auth/signin/user', { waitUntil: 'commit' })
  const logo = page.locator('.boot')
  await expect(logo).toBeVisible()
  const home = page.getByRole('banner').getByRole('link', { name: 'Tool Box' })
  await expect(home).toHaveCSS('display', 'flex')
  await page.evaluate('document.fonts.ready')
  const place = await home.boundingBox()
  expect(place?.width).toBeGreaterThan(50)
  send()
  await expect(page.getByLabel('Username')).toBeVisible()
  await expect(logo).toHaveCount(0)
  expect(await home.boundingBox()).toEqual(place)
})

test('signing in returns to the requested page', async ({ page }) => {
  await page.goto('/tools/keepalive/viewlist?url=example')
  await expect(page).toHaveURL('/auth/error?error=AccessDenied')
  await page.getByRole('link', { name: 'Sign in with username and password' }).click()
  await fillIn(page, admin.username, admin.password)
  await expect(page).toHaveURL('/tools/keepalive/viewlist?url=example')
  await expect(page.getByLabel('Search URL')).toHaveValue('example')
})

test('signing out aborts pending reads unless it fails @release', async ({ page, context, allowConsoleErrors }) => {
  allowConsoleErrors(/status of 500/)
  const { username, password } = admin
  await context.request.post('/api/auth/sign-in/username', { data: { username, password } })
  const card = page.getByRole('list', { name: 'Tools' }).getByRole('listitem').filter({ hasText: 'Keep Alive' })
  await page.route('/api/auth/sign-out', (route) => route.fulfill({ status: 500, json: { error: 'Not now.' } }), {
    times: 1,
  })
  const figures = '/api/v1/keepalive/figures'
  const isAsked = (request: Request) => request.url().endsWith(figures)
  const visit = () => Promise.all([page.waitForRequest(isAsked), page.goto('/')])
  const letGo = await delayRequests(page, figures)
  await visit()
  await signAdminOut(page)
  await expect(toasts(page, 'danger')).toHaveText(/Not now\./)
  letGo()
  await expect(card).toContainText(/entries|up|new/)

  await page.unrouteAll()
  const letNone = await delayRequests(page, figures)
  await visit()
  const givenUp = page.waitForEvent('requestfailed', isAsked)
  await signAdminOut(page)
  await givenUp
  letNone()
  await expect(signInLink(page)).toBeVisible()
  await expect(toasts(page)).toHaveCount(0)
})

test('signing out clears toasts and remembered lists of the user', async ({ page, instance }) => {
  await createTestUser(instance, 'successor', { Tools: 1 })
  await instance.entry('/left-behind')
  await signInAsAdmin(page)
  await page.goto('/tools/keepalive/viewlist?url=left-behind')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Pause' }).click()
  await expect(toasts(page, 'success', '/left-behind paused.')).toBeVisible()
  await signAdminOut(page)
  await expect(signInLink(page)).toBeVisible()
  // In tests a toast disappears on its own only after a minute.
  await expect(toasts(page)).toHaveCount(0)

  await page.goto('/auth/signin/user')
  await fillIn(page, 'successor', password)
  await expect(page).toHaveURL('/')
  await page.goto('/tools/keepalive/create')
  await expect(page.getByRole('link', { name: 'View list' })).toHaveAttribute('href', '/tools/keepalive/viewlist')
})

test('a bulk action under way shows no toast after its user has signed out', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 401/)
  await instance.entry('/asked-for')
  await signInAsAdmin(page)
  await page.goto('/tools/keepalive/viewlist?url=asked-for')
  const bulk = '**/keepalive/bulk'
  const letGo = await delayRequests(page, bulk)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Pause' }).click()
  await signAdminOut(page)
  await expect(signInLink(page)).toBeVisible()
  const [answer] = await Promise.all([page.waitForResponse(bulk), letGo()])
  await answer.finished()
  await signInLink(page).click()
  await expect(main(page).getByRole('button', { name: 'Use a passkey' })).toBeVisible()
  await expect(toasts(page)).toHaveCount(0)
})

test('after sign-out a screen whose script arrives late sends no requests @release', async ({
  page,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 500/)
  await signInAsAdmin(page)
  const program = /\/assets\/profile-.*\.js$/
  const letGo = await delayRequests(page, program)
  await page.getByRole('banner').getByRole('button', { name: admin.username }).click()
  await Promise.all([page.waitForRequest(program), page.getByRole('menuitem', { name: 'User Profile' }).hover()])
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(signInLink(page)).toBeVisible()
  const calls: string[] = []
  page.on('request', (request) => calls.push(new URL(request.url()).pathname))
  const [answer] = await Promise.all([page.waitForResponse(program), letGo()])
  await answer.finished()
  await signInLink(page).click()
  await expect(main(page).getByRole('button', { name: 'Use a passkey' })).toBeVisible()
  expect(calls.filter((path) => path.startsWith('/api/v1/user'))).toEqual([])
})

test('a mailed link resets a forgotten password and works only once', async ({
  page,
  instance,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/status of 40[03]/)
  await instance.createTestUser('forgetful')
  await page.goto('/auth/forgot')
  await page.getByLabel('Email').fill('forgetful')
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByLabel('Email').fill('forgetful@example.com')
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  const link = await mailedLink(instance, 'forgetful@example.com', 'auth/reset')
  await page.goto(link)
  await page.getByLabel('New password').fill('password1234')
  await page.keyboard.press('Enter')
  await expect(main(page).getByRole('alert')).toContainText('too common')
  // A late refusal doesn't mark a password typed since.
  const answer = await delayRequests(page, '**/api/v1/auth/reset')
  await page.getByLabel('New password').fill('password1234')
  await page.keyboard.press('Enter')
  await expect(main(page).getByRole('button')).toBeDisabled()
  await page.getByLabel('New password').fill('nineteen loud parrots')
  answer()
  await expect(main(page).getByRole('button')).toBeEnabled()
  await expect(main(page).getByRole('alert')).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/')
  await expect(toasts(page, 'success', 'Your password is set.')).toBeVisible()
  await expect(page.getByRole('banner').getByRole('button', { name: 'forgetful' })).toBeVisible()
  await page.goto('about:blank')
  await page.goto(link)
  await page.getByLabel('New password').fill('twenty loud parrots')
  await page.keyboard.press('Enter')
  await expect(page.getByText('expired or was already used').first()).toBeVisible()
  await page.getByRole('link', { name: 'Request a new link' }).click()
  await expect(page).toHaveURL('/auth/forgot')
})
