import type { Page } from '@playwright/test'
import { admin } from '../process.ts'
import { expect, test, toasts } from './kit.ts'

async function fillIn(page: Page, username: string, password: string) {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
}

test('the form for a password stands only at /auth/signin/user', async ({ page }) => {
  await page.goto('/auth/signin')
  await expect(page).toHaveTitle('ToolBox - Sign in')
  await expect(page.getByText('No sign-in provider is configured.')).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveCount(0)
  await page.goto('/auth/signin/somebody')
  await expect(page.getByText('No sign-in provider is configured.')).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveCount(0)
  await page.getByRole('link', { name: 'Sign in with username and password' }).click()
  await expect(page).toHaveURL(/\/auth\/signin\/user$/)
  await expect(page.getByLabel('Username')).toHaveAttribute('required')
  await expect(page.getByLabel('Password')).toHaveAttribute('required')
})

test('signing in leads home and signing out too', async ({ page }) => {
  await page.goto('/')
  await expect(page).toHaveTitle('ToolBox - Home')
  await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'sign in' }).click()
  await expect(page).toHaveURL(/\/auth\/signin$/)
  await page.goto('/auth/signin/user')
  await fillIn(page, admin.username, admin.password)
  await expect(page).toHaveURL('/')
  await page.getByRole('main').getByRole('link', { name: admin.username }).click()
  await expect(page).toHaveURL('/user')
  await page.getByRole('button', { name: admin.username }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
  await page.goto('/user')
  await expect(page).toHaveURL('/auth/signin')
})

test.describe('with a wrong password', () => {
  test.use({ provoked: [/status of 401/] })
  test('one stays on the form and reads the same sentence as for an unknown name', async ({ page }) => {
    for (const username of [admin.username, 'nobody-of-this-name']) {
      await page.goto('/auth/signin/user')
      await fillIn(page, username, 'not my password')
      await expect(toasts(page, 'danger').getByText('Wrong user name or password.')).toBeVisible()
      await expect(page).toHaveURL('/auth/signin/user')
    }
  })
})

test.describe('signed in', () => {
  test.use({ visitor: 'ada' })
  test('the sign-in page sends one home', async ({ page }) => {
    await page.goto('/auth/signin')
    await expect(page).toHaveURL('/')
    await page.goto('/auth/signin/user')
    await expect(page).toHaveURL('/')
  })
})

test('signing in returns to the screen one wanted', async ({ page }) => {
  await page.goto('/tools/keepalive/viewlist?url=example')
  await expect(page).toHaveURL('/auth/error?error=AccessDenied')
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Sign in with username and password' }).click()
  await fillIn(page, admin.username, admin.password)
  await expect(page).toHaveURL('/tools/keepalive/viewlist?url=example')
  await expect(page.getByLabel('Search URL')).toHaveValue('example')
})
