import type { Page, Request } from '@playwright/test'
import { expect, holdBack, test, toasts } from '../../../support/page/kit.ts'
import { admin } from '../../../support/process.ts'

async function fillIn(page: Page, username: string, password: string) {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
}

test.describe('with a wrong password', () => {
  test.use({ provoked: [/status of 401/] })
  test('one stays on the form and reads the same sentence as for an unknown name', async ({ page }) => {
    for (const username of [admin.username, 'nobody-of-this-name']) {
      await page.goto('/auth/signin/user')
      await fillIn(page, username, 'not my password')
      await expect(page.getByRole('main').getByRole('alert')).toHaveText('Wrong username or password.')
      await expect(page.getByLabel('Password')).toHaveAccessibleDescription('Wrong username or password.')
      await expect(page.getByLabel('Password')).toBeFocused()
      await expect(toasts(page)).toHaveCount(0)
      await expect(page).toHaveURL('/auth/signin/user')
    }
    await page.getByLabel('Password').fill(admin.password)
    await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0)
    await fillIn(page, admin.username, admin.password)
    await expect(page).toHaveURL('/')
    await expect(toasts(page, 'danger')).toHaveCount(0)
  })
})

test('what a password manager fills in without an event is sent as it stands', async ({ page }) => {
  await page.goto('/auth/signin/user')
  await page.getByLabel('Password').waitFor()
  const setValue = "Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set"
  for (const [field, value] of Object.entries({ username: admin.username, 'current-password': admin.password }))
    await page.evaluate(`${setValue}.call(document.querySelector('[autocomplete=${field}]'), '${value}')`)
  await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
  await expect(page).toHaveURL('/')
})

test('without an admin, the sign-in page says where the link is that creates one', async ({ page }) => {
  await page.route('**/api/v1/config', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), needsAdmin: true } })
  })
  await page.goto('/auth/signin')
  await expect(page.getByRole('main')).toContainText("open the set-up link printed in the server's terminal")
  await expect(page.getByRole('main').getByRole('link')).toHaveText('Sign in with username and password')
})

test('the link of the first admin says that it has done its work once there is one @release', async ({ page }) => {
  const tell = await holdBack(page, '**/api/v1/config')
  await page.goto('/auth/setup?token=spent')
  await expect(page.getByRole('banner')).toBeVisible()
  await expect(page.getByRole('textbox')).toHaveCount(0)
  tell()
  await expect(page.getByText('The first admin account already exists')).toBeVisible()
  await expect(page.getByRole('textbox')).toHaveCount(0)
})

test('what is wrong with a set-up is said beside its fields @release', async ({ page }) => {
  await page.goto('/auth/setup#token=any&for=password')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Username').fill('a b')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toHaveText([/letters/, 'Use at least 12 characters.'])
  await expect(toasts(page, 'danger')).toHaveCount(0)
})

test('the way home and the logo stand there while the program itself is on its way @release', async ({ page }) => {
  let send = () => {}
  const mayCome = new Promise<void>((resolve) => {
    send = resolve
  })
  await page.route('**/assets/index-*.js', async (route) => {
    await mayCome
    await route.continue()
  })
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

test('signing in returns to the screen one wanted', async ({ page }) => {
  await page.goto('/tools/keepalive/viewlist?url=example')
  await expect(page).toHaveURL('/auth/error?error=AccessDenied')
  await page.getByRole('link', { name: 'Sign in with username and password' }).click()
  await fillIn(page, admin.username, admin.password)
  await expect(page).toHaveURL('/tools/keepalive/viewlist?url=example')
  await expect(page.getByLabel('Search URL')).toHaveValue('example')
})

test.describe('signing out', () => {
  test.use({ provoked: [/status of 500/] })
  test('gives up what is being read, which is refused nothing, and reads it again if that fails @release', async ({
    page,
    context,
  }) => {
    const { username, password } = admin
    await context.request.post('/api/auth/sign-in/username', { data: { username, password } })
    const card = page.getByRole('list', { name: 'Tools' }).getByRole('listitem').filter({ hasText: 'Keep Alive' })
    const signOut = async () => {
      await page.getByRole('banner').getByRole('button', { name: admin.username }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    }
    await page.route('/api/auth/sign-out', (route) => route.fulfill({ status: 500, json: { error: 'Not now.' } }), {
      times: 1,
    })
    const figures = '/api/v1/keepalive/figures'
    const isAsked = (request: Request) => request.url().endsWith(figures)
    const visit = () => Promise.all([page.waitForRequest(isAsked), page.goto('/')])
    const letGo = await holdBack(page, figures)
    await visit()
    await signOut()
    await expect(toasts(page, 'danger')).toHaveText(/Not now\./)
    letGo()
    await expect(card).toContainText(/entries|up|new/)

    await page.unrouteAll()
    const letNone = await holdBack(page, figures)
    await visit()
    const givenUp = page.waitForEvent('requestfailed', isAsked)
    await signOut()
    await givenUp
    letNone()
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible()
    await expect(toasts(page)).toHaveCount(0)
  })

  test('asks nothing more for a screen whose program comes late @release', async ({ page }) => {
    await page.goto('/auth/signin/user')
    await fillIn(page, admin.username, admin.password)
    await expect(page).toHaveURL('/')
    const program = /\/assets\/profile-.*\.js$/
    const letGo = await holdBack(page, program)
    await page.getByRole('banner').getByRole('button', { name: admin.username }).click()
    await Promise.all([page.waitForRequest(program), page.getByRole('menuitem', { name: 'User Profile' }).hover()])
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible()
    await Promise.all([page.waitForResponse(program), letGo()])
    await page.waitForLoadState('networkidle')
  })
})
