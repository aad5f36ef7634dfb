import type { Page } from '@playwright/test'
import { at, but, instead, press, type Shot } from '../shot.ts'

const invited = async (page: Page) => {
  await instead('/api/v1/auth/invite', (route) => route.fulfill({ status: 204 }))(page)
  await instead('/api/v1/auth/invitation', (route) =>
    route.fulfill({ json: { by: 'Ada', roles: { Admin: 0, Tools: 1 }, tags: ['Verified'], expiresAt: Date.now() } }),
  )(page)
}

/** Signing in, setting up, and what keeps somebody out. */
export const arrivalShots: readonly Shot[] = [
  { name: 'signin', path: at('/auth/signin'), shows: 'Sign in with Discord' },
  { name: 'signin-user', path: at('/auth/signin/user'), shows: 'Sign in with Credentials' },
  {
    name: 'signin-no-admin',
    path: at('/auth/signin'),
    shows: 'There is no admin yet',
    before: but('/api/v1/config', { needsAdmin: true }),
  },
  {
    name: 'signin-no-provider',
    path: at('/auth/signin'),
    shows: 'No sign-in provider',
    before: instead('/api/v1/auth/providers', (route) => route.fulfill({ json: [] })),
  },
  {
    name: 'signin-wrong',
    path: at('/auth/signin/user'),
    shows: 'Sign in with Credentials',
    window: true,
    async act(page) {
      await page.getByLabel('Username').fill('ada')
      await page.getByLabel('Password').fill('wrong')
      await page.getByRole('button', { name: 'Sign in with Credentials' }).click()
      await page.getByRole('main').getByRole('alert').waitFor()
    },
  },
  { name: 'setup', path: at('/auth/setup#token=any&for=password'), shows: 'Choose a new password' },
  { name: 'setup-over', path: at('/auth/setup#token=any'), shows: 'no longer works' },
  { name: 'setup-no-token', path: at('/auth/setup?for=password'), shows: 'Open the set-up link' },
  { name: 'forgot', path: at('/auth/forgot'), shows: 'Send link' },
  {
    name: 'forgot-sent',
    path: at('/auth/forgot'),
    shows: 'Send link',
    before: instead('/api/v1/auth/forgotten', (route) =>
      route.fulfill({ status: 202, json: { email: 'ada.lovelace@mathematics.university-of-cordoba.example.com' } }),
    ),
    async act(page) {
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByRole('button', { name: 'Send link' }).click()
      await page.getByText('Check your email').waitFor()
    },
  },
  {
    name: 'forgot-no-mail',
    path: at('/auth/forgot'),
    shows: "doesn't send email",
    before: but('/api/v1/config', { sendsMail: false }),
  },
  { name: 'reset', path: at('/auth/reset#any'), shows: 'Set password' },
  { name: 'reset-no-token', path: at('/auth/reset'), shows: 'Part of the link is missing' },
  { name: 'verify-email', as: 'ada', path: at('/user/verify-email#any'), shows: 'Confirm that ada@' },
  {
    name: 'invite',
    path: at('/auth/invite#any'),
    shows: 'I already have an account',
    before: invited,
  },
  {
    name: 'invite-form',
    path: at('/auth/invite#any'),
    shows: 'I already have an account',
    before: invited,
    act: press('Choose a username and password'),
  },
  { name: 'invite-over', path: at('/auth/invite#any'), shows: "doesn't exist" },
  { name: 'invite-signed-in', as: 'grace', path: at('/auth/invite#any'), shows: 'Accept invitation', before: invited },
  { name: 'error-signed-out', path: at('/auth/error?error=AccessDenied'), shows: 'Sign in to see this page.' },
  { name: 'error-no-role', as: 'grace', path: at('/auth/error?error=AccessDenied'), shows: 'Access denied' },
  {
    name: 'signin-long-name',
    path: at('/auth/signin'),
    shows: 'Sign in with',
    before: instead('/api/v1/auth/providers', (route) =>
      route.fulfill({ json: [{ id: '004_OIDC', name: 'Universidad de Córdoba, Departamento de M' }] }),
    ),
  },
  {
    name: 'user-openid',
    as: 'ada',
    path: at('/user'),
    shows: 'Example Login',
    before: instead('/api/v1/auth/session', async (route) => {
      const response = await route.fetch()
      const { user } = await response.json()
      const accountId = 'https://id.example.com/realms/main#5b0cba8d-24bd-4d3e-a8b9-1f2f6d1c7a90'
      const openid = { providerId: '004_OIDC', accountId, accountUsername: 'ada.lovelace' }
      await route.fulfill({ response, json: { user: { ...user, providers: [...user.providers, openid] } } })
    }),
  },
  // What is remembered stays for the screens after these.
  {
    name: 'signin-last-used',
    path: at('/auth/signin'),
    shows: 'Last used',
    before: (page) => page.addInitScript("localStorage.setItem('toolbox.sign-in', '004_OIDC')"),
  },
  {
    name: 'signin-last-password',
    path: at('/auth/signin'),
    shows: 'Last used',
    before: (page) => page.addInitScript("localStorage.setItem('toolbox.sign-in', 'credentials')"),
  },
]
