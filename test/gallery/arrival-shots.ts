import { at, instead, type Shot } from './shot.ts'

/** Signing in, setting up, and what keeps somebody out. */
export const arrivalShots: readonly Shot[] = [
  { name: 'signin', path: at('/auth/signin'), shows: 'Sign in with Discord' },
  { name: 'signin-user', path: at('/auth/signin/user'), shows: 'Sign in with Credentials' },
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
      await page.locator('[data-kind=danger]').waitFor()
    },
  },
  { name: 'setup', path: at('/auth/setup#token=any&for=password'), shows: 'Choose a new password' },
  { name: 'setup-over', path: at('/auth/setup#token=any'), shows: 'no longer works' },
  { name: 'setup-no-token', path: at('/auth/setup?for=password'), shows: 'Open the set-up link' },
  { name: 'error-signed-out', path: at('/auth/error?error=AccessDenied'), shows: 'Access denied' },
  { name: 'error-no-role', as: 'grace', path: at('/auth/error?error=AccessDenied'), shows: 'Access denied' },
]
