import type { Page } from '@playwright/test'
import { expect, test, toasts } from '../../support/page/kit.ts'
import { admin } from '../../support/process.ts'

const main = (page: Page) => page.getByRole('main')

test('Signing in with a password', async ({ page, holds }) => {
  await page.goto('/auth/signin')
  await holds('Without a configured provider the sign-in page says so and leads to the form.', async () => {
    await expect(page).toHaveTitle('ToolBox - Sign in')
    await expect(main(page).getByText('No sign-in provider is configured.')).toBeVisible()
    await expect(main(page).getByRole('button')).toHaveText(['Use a passkey'])
  })
  await holds('The form for credentials stands at /auth/signin/user alone.', async () => {
    for (const path of ['/auth/signin', '/auth/signin/somebody']) {
      await page.goto(path)
      await expect(main(page).getByText('No sign-in provider is configured.')).toBeVisible()
      await expect(main(page).getByRole('textbox')).toHaveCount(0)
    }
    await main(page).getByRole('link', { name: 'Sign in with username and password' }).click()
    await expect(page).toHaveURL('/auth/signin/user')
  })
  await holds('It has the required fields Username and Password, and Sign in with Credentials.', async () => {
    for (const name of ['Username', 'Password']) await expect(page.getByLabel(name)).toHaveAttribute('required')
    await expect(page.getByLabel('Password')).toHaveAttribute('type', 'password')
    await expect(main(page).getByRole('button')).toHaveText(['Sign in with Credentials'])
  })
  await holds('The cursor stands in Username.', async () => {
    await expect(page.getByLabel('Username')).toBeFocused()
  })
  await holds(
    'With a mail server, Forgot password? leads to /auth/forgot, which asks for an email alone.',
    async () => {
      await main(page).getByRole('link', { name: 'Forgot password?' }).click()
      await expect(page).toHaveTitle('ToolBox - Reset your password')
      await expect(main(page).getByRole('textbox')).toHaveCount(1)
      await expect(page.getByLabel('Email')).toHaveAttribute('required')
    },
  )
  await holds('It says the same for every email: that a link was sent if an account has it.', async () => {
    await page.getByLabel('Email').fill('nobody-has-this@example.com')
    await main(page).getByRole('button').click()
    await expect(main(page).getByRole('status')).toContainText('If nobody-has-this@example.com is the confirmed email')
    await main(page).getByRole('link', { name: 'Back to sign-in' }).click()
    await expect(page).toHaveURL('/auth/signin/user')
  })
  await holds('While one of them is empty nothing is sent.', async () => {
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') sent += 1
    })
    await page.getByLabel('Username').fill(admin.username)
    await main(page).getByRole('button').click()
    await expect(page.getByLabel('Password')).toBeFocused()
    expect(sent).toBe(0)
  })
  await holds('Signing in leads home, where the header has the user and no Sign in.', async () => {
    await page.getByLabel('Password').fill(admin.password)
    await main(page).getByRole('button').click()
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('banner').getByRole('button', { name: admin.username })).toBeVisible()
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toHaveCount(0)
  })
  await holds('With a session the sign-in page and the form lead home.', async () => {
    for (const path of ['/auth/signin', '/auth/signin/user']) {
      await page.goto(path)
      await expect(page).toHaveURL('/')
    }
  })
  await holds('Sign out ends the session and returns to /.', async () => {
    await page.goto('/user')
    await page.getByRole('banner').getByRole('button', { name: admin.username }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(page).toHaveURL('/')
    await expect(page.getByText("It's hard to know who anyone is")).toBeVisible()
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible()
    expect(await (await page.request.get('/api/v1/auth/session')).json()).toEqual({ user: null })
  })
  await holds('After signing out the profile asks to sign in.', async () => {
    await page.goto('/user')
    await expect(page).toHaveURL('/auth/signin')
  })
})

test.describe('of another account', () => {
  test.use({ provoked: [/status of 40[13]/] })
  test('The status of an account @release', async ({ page, house, holds }) => {
    const user = { name: 'Sten', email: 'sten@example.com', credUsername: 'sten', password: 'seven green teapots' }
    const { body } = await house.call<{ id: string }>('POST', '/api/v1/admin/user', user)
    const become = async (status: number) =>
      expect((await house.call('PATCH', '/api/v1/admin/user', { id: body.id, status })).status).toBe(200)
    const signIn = async () => {
      await page.goto('/auth/signin/user')
      await page.getByLabel('Username').fill('sten')
      await page.getByLabel('Password').fill(user.password)
      await main(page).getByRole('button').click()
    }
    await holds('A new account is Active (2) and signs in.', async () => {
      await signIn()
      await expect(page).toHaveURL('/')
    })
    for (const [status, name, words] of [
      [0, 'Blocked', 'Your account is blocked.'],
      [1, 'Inactive', "Your account isn't active yet."],
    ] as const) {
      await holds(
        `An account that becomes ${name} (${status}) is signed out at once, on open screens too.`,
        async () => {
          await page.goto('/user')
          await expect(page.getByText(user.email, { exact: true })).toBeVisible()
          await become(status)
          await expect(page).toHaveURL('/auth/signin')
        },
      )
      await holds(`An account that is ${name} cannot sign in, and reads so.`, async () => {
        await signIn()
        await expect(toasts(page, 'danger', words)).toBeVisible()
        await expect(page).toHaveURL('/auth/signin/user')
      })
      await holds(
        `An account that was ${name} and becomes Active signs in again, to the screen it was sent away from.`,
        async () => {
          await become(2)
          await signIn()
          await expect(page).toHaveURL('/user')
        },
      )
    }
    await house.call('DELETE', `/api/v1/admin/user?email=${user.email}`)
  })
})
