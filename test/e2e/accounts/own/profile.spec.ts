import type { Browser, BrowserContext, Page } from '@playwright/test'
import { barriers, fitsPhone } from '../../../support/page/barriers.ts'
import { expect, go, test, toasts } from '../../../support/page/kit.ts'
import { password } from '../../../support/people.ts'
import { signIn as signInTo } from '../../../support/process.ts'

const card = (page: Page, name: string) => page.getByRole('region', { name })
const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name })

/** Signs this browser in without the form. */
async function signIn({ request }: BrowserContext, url: string, username: string) {
  const answer = await request.post(`${url}/api/auth/sign-in/username`, { data: { username, password } })
  expect(answer.status()).toBe(200)
}

/** Who is signed in by these headers. */
const userOf = async (url: string, headers: Record<string, string>) =>
  ((await (await fetch(`${url}/api/v1/auth/session`, { headers })).json()) as { user: unknown }).user

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'
/** Another browser of the same user, which calls itself Firefox on Windows. */
async function another(browser: Browser, url: string, username: string) {
  const context = await browser.newContext({ baseURL: url, userAgent: firefox })
  await signIn(context, url, username)
  return context
}

test('of many sessions the latest few are in sight, and each ends at a press @release', async ({
  page,
  context,
  browser,
  house,
}) => {
  const username = 'is-everywhere'
  await house.person(username)
  const others: Record<string, string>[] = []
  for (let count = 0; count < 5; count++) others.push(await signInTo(house.url, { username, password }))
  const other = await another(browser, house.url, username)
  const elsewhere = await other.newPage()
  await elsewhere.goto('/user')
  await expect(card(elsewhere, 'User Details')).toBeVisible()
  await signIn(context, house.url, username)
  await page.goto('/user/security')
  const sessions = card(page, 'Sessions')
  const rows = sessions.getByRole('row')
  await expect(rows).toHaveCount(1 + 5)
  await expect(rows.nth(1)).toContainText('This device')
  await expect(sessions.getByRole('row', { name: /Chrome on Linux.*This device/ })).toBeVisible()
  await sessions.getByRole('button', { name: 'Show all 7' }).click()
  await expect(rows).toHaveCount(1 + 7)

  await test.step('a session ended from elsewhere is asked to sign in', async () => {
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

  await test.step('all others end at one press, and this one stays', async () => {
    await sessions.getByRole('button', { name: 'Sign out other devices' }).click()
    await expect(toasts(page, 'success', 'Signed out 5 devices.')).toBeVisible()
    await expect(rows).toHaveCount(1 + 1)
    await expect(sessions.getByRole('button', { name: 'Sign out other devices' })).toHaveCount(0)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    for (const headers of others) expect(await userOf(house.url, headers)).toBeNull()
    await sessions.getByRole('button', { name: 'Sign out' }).click()
    await expect(page).toHaveURL('/')
    await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
    await expect(page.getByText('Your session has ended.')).toHaveCount(0)
  })
})

test('after other devices are signed out, keys and channels made lately are shown and can be deleted @release', async ({
  page,
  context,
  house,
}) => {
  const username = 'was-robbed'
  await house.person(username)
  await signInTo(house.url, { username, password })
  await signIn(context, house.url, username)
  await page.goto('/user/security')
  const xsrf = (await context.cookies()).find(({ name }) => name === 'XSRF-TOKEN')?.value ?? ''
  const post = async (path: string, data: object) => {
    const answer = await context.request.post(`${house.url}/api/v1/user/${path}`, {
      data,
      headers: { 'x-xsrf-token': xsrf },
    })
    expect(answer.status()).toBe(201)
  }
  await post('apikeys', { name: "A thief's key", scopes: ['read'], expiresAt: null })
  await post('channels', { name: "A thief's channel", type: 'webhook', settings: { url: house.target.url('/hook') } })
  await card(page, 'Sessions').getByRole('button', { name: 'Sign out other devices' }).click()
  const review = page.getByRole('dialog', { name: 'Check what was created recently' })
  await expect(review).toContainText("Delete any you don't recognize.")
  expect.soft(await barriers(page), 'what was created lately').toEqual([])
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
  await go(page, '/user/keys')
  await expect(card(page, 'API Keys')).toContainText('No API keys yet.')
})

test.describe('keys and the password', () => {
  test.use({ provoked: [/status of 400/] })
  test('a key is made, shown once, used and deleted', async ({ page, context, house }) => {
    const username = 'a-name-of-thirty-letters-or-so'
    await house.person(username)
    await signIn(context, house.url, username)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/user/keys')
    await expect(card(page, 'API Keys')).toContainText('No API keys yet.')
    await page.getByRole('button', { name: 'New API key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await expect(dialog.getByText('Enter a name for the key.')).toBeVisible()
    await dialog.getByLabel('Name').fill('Backup script')
    await dialog.getByText('Never').click()
    await dialog.getByRole('button', { name: 'Create key' }).click()

    await expect(dialog).toContainText("You won't be able to see it again")
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

    const call = () => fetch(`${house.url}/api/v1/user/inbox`, { headers: { authorization: `Bearer ${key}` } })
    expect((await call()).status).toBe(200)
    await mark.getByRole('button', { name: 'Delete Backup script' }).click()
    await expect(dialog).toContainText('Delete Backup script ?')
    await dialog.getByRole('button', { name: 'Yes, Nuke it' }).click()
    await expect(toasts(page, 'success', 'Deleted the API key Backup script.')).toBeVisible()
    await expect(mark).toHaveCount(0)
    expect((await call()).status).toBe(401)

    await test.step('a key may have both scopes and a last day, and has to have one of each', async () => {
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
      expect.soft(await barriers(page), 'new key').toEqual([])
      await dialog.getByLabel('Last day').fill('2031-12-24')
      await page.keyboard.press('Control+s')
      await expect(dialog).toContainText('Your new API key')
      expect.soft(await barriers(page), 'fresh key').toEqual([])
      await dialog.getByRole('button', { name: 'Done' }).click()
      await expect(row(page, /^WWWW/)).toContainText('read, write')
      await expect(row(page, /^WWWW/)).toContainText('24/12/2031 11:59:59 PM')
    })

    await test.step('a full profile fits a phone, without a barrier', async () => {
      for (const path of ['/user', '/user/keys', '/user/security']) await fitsPhone(page, path)
      await page.setViewportSize({ width: 360, height: 740 })
      expect.soft(await barriers(page), 'profile on a phone').toEqual([])
      await page.setViewportSize({ width: 1280, height: 800 })
    })

    await test.step('a new password needs the present one, and ends the other sessions', async () => {
      await go(page, '/user/security')
      const other = await signInTo(house.url, { username, password })
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
      await form.getByRole('button', { name: 'Change password' }).click()
      await expect(toasts(page, 'success', 'Successfully updated credentials.')).toBeVisible()
      await expect(dialog).toContainText('Check what was created recently')
      await expect(dialog.getByRole('row', { name: /^WWWW/ })).toContainText('API key')
      await dialog.getByRole('button', { name: 'Done' }).click()
      await expect(form.getByLabel('Current password')).toHaveCount(0)
      await expect(advice).toHaveCount(0)
      expect(await userOf(house.url, other)).toBeNull()
      await signInTo(house.url, { username, password: 'nine purple kettles' })
    })
  })
})
