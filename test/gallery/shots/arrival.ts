import type { Page } from '@playwright/test'
import { mockRoute, overrideFields, press, type Shot, shot } from '../shot.ts'

const invited = async (page: Page) => {
  await mockRoute('/api/v1/auth/invite', (route) => route.fulfill({ status: 204 }))(page)
  await mockRoute('/api/v1/auth/invitation', (route) =>
    route.fulfill({ json: { by: 'Ada', roles: { Admin: 0, Tools: 1 }, tags: ['Verified'], expiresAt: Date.now() } }),
  )(page)
}

export const arrivalShots: readonly Shot[] = [
  shot('signin', 'nobody', '/auth/signin', 'Sign in with Discord'),
  shot('signin-user', 'nobody', '/auth/signin/user', 'Sign in with Credentials'),
  shot('signin-no-admin', 'nobody', '/auth/signin', 'There is no admin yet', {
    before: overrideFields('/api/v1/config', { needsAdmin: true }),
  }),
  shot('signin-no-provider', 'nobody', '/auth/signin', 'No sign-in provider', {
    before: mockRoute('/api/v1/auth/providers', (route) => route.fulfill({ json: [] })),
  }),
  shot('signin-wrong', 'nobody', '/auth/signin/user', 'Sign in with Credentials', {
    window: true,
    async act(page) {
      await page.getByLabel('Username').fill('ada')
      await page.getByLabel('Password').fill('wrong')
      await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
      await page.getByRole('main').getByRole('alert').waitFor()
    },
  }),
  shot('setup', 'nobody', '/auth/setup#token=any&for=password', 'Choose a new password'),
  shot('setup-over', 'nobody', '/auth/setup#token=any', 'no longer works'),
  shot('setup-no-token', 'nobody', '/auth/setup?for=password', 'Open the set-up link'),
  shot('forgot', 'nobody', '/auth/forgot', 'Send link'),
  shot('forgot-sent', 'nobody', '/auth/forgot', 'Send link', {
    before: mockRoute('/api/v1/auth/forgotten', (route) =>
      route.fulfill({ status: 202, json: { email: 'ada.lovelace@mathematics.university-of-cordoba.example.com' } }),
    ),
    async act(page) {
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByRole('button', { name: 'Send link' }).click()
      await page.getByText('Check your email').waitFor()
    },
  }),
  shot('forgot-no-mail', 'nobody', '/auth/forgot', "doesn't send email", {
    before: overrideFields('/api/v1/config', { sendsMail: false }),
  }),
  shot('reset', 'nobody', '/auth/reset#any', 'Set password'),
  shot('reset-no-token', 'nobody', '/auth/reset', 'Part of the link is missing'),
  shot('verify-email', 'ada', '/user/verify-email#any', 'Confirm that ada@'),
  shot('invite', 'nobody', '/auth/invite#any', 'I already have an account', { before: invited }),
  shot('invite-form', 'nobody', '/auth/invite#any', 'I already have an account', {
    before: invited,
    act: press('Choose a username and password'),
  }),
  shot('invite-over', 'nobody', '/auth/invite#any', "doesn't exist"),
  shot('invite-signed-in', 'grace', '/auth/invite#any', 'Accept invitation', { before: invited }),
  shot('error-signed-out', 'nobody', '/auth/error?error=AccessDenied', 'Sign in to see this page.'),
  shot('error-no-role', 'grace', '/auth/error?error=AccessDenied', 'Access denied'),
  shot('signin-long-name', 'nobody', '/auth/signin', 'Sign in with', {
    before: mockRoute('/api/v1/auth/providers', (route) =>
      route.fulfill({ json: [{ id: '004_OIDC', name: 'Universidad de Córdoba, Departamento de M' }] }),
    ),
  }),
  shot('user-openid', 'ada', '/user', 'Example Login', {
    before: mockRoute('/api/v1/auth/session', async (route) => {
      const response = await route.fetch()
      const { user } = await response.json()
      const accountId = 'https://id.example.com/realms/main#5b0cba8d-24bd-4d3e-a8b9-1f2f6d1c7a90'
      const openid = { providerId: '004_OIDC', accountId, accountUsername: 'ada.lovelace' }
      await route.fulfill({ response, json: { user: { ...user, providers: [...user.providers, openid] } } })
    }),
  }),
  // Keep these last: the remembered sign-in method stays for later screenshots.
  shot('signin-last-used', 'nobody', '/auth/signin', 'Last used', {
    before: (page) => page.addInitScript("localStorage.setItem('toolbox.sign-in', '004_OIDC')"),
  }),
  shot('signin-last-password', 'nobody', '/auth/signin', 'Last used', {
    before: (page) => page.addInitScript("localStorage.setItem('toolbox.sign-in', 'credentials')"),
  }),
]
