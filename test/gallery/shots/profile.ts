import type { Page } from '@playwright/test'
import { at, instead, press, type Shot } from '../shot.ts'

/** Somebody who has not confirmed their email, and the link that was mailed to it. */
const unverified = (link: object | null) => async (page: Page) => {
  await instead('/api/v1/auth/session', async (route) => {
    const response = await route.fetch()
    const { user } = await response.json()
    await route.fulfill({ response, json: { user: user && { ...user, emailVerified: false } } })
  })(page)
  await instead('/api/v1/user/email', (route) =>
    route.fulfill({ json: { email: 'layla@example.com', verified: false, link } }),
  )(page)
}

export const profileShots: readonly Shot[] = [
  { name: 'user', as: 'ada', path: at('/user'), shows: 'Connected Providers' },
  { name: 'user-security', as: 'ada', path: at('/user/security'), shows: 'This device' },
  { name: 'user-security-much', as: 'layla', path: at('/user/security'), shows: 'Show all' },
  { name: 'user-keys', as: 'layla', path: at('/user/keys'), shows: 'API documentation' },
  { name: 'user-data', as: 'ada', path: at('/user/data'), shows: 'Download with secrets' },
  {
    name: 'user-new-key',
    as: 'ada',
    path: at('/user/keys'),
    shows: 'New API key',
    act: press('New API key'),
    window: true,
  },
  {
    name: 'user-made-lately',
    as: 'layla',
    path: at('/user/security'),
    shows: 'Sign out other devices',
    before: instead(/\/api\/v1\/user\/sessions\?others/, (route) => route.fulfill({ json: { ended: 1 } })),
    async act(page) {
      await press('Sign out other devices')(page)
      await page.getByRole('dialog').waitFor()
    },
    window: true,
  },
  {
    name: 'user-unverified',
    as: 'layla',
    path: at('/user'),
    shows: 'Confirm your email',
    before: unverified(null),
  },
  {
    name: 'user-unverified-sent',
    as: 'layla',
    path: at('/user'),
    shows: 'Open it by',
    before: unverified({
      at: 0,
      sentAt: 0,
      expiresAt: Date.now() + 1_500_000,
      nextAt: Date.now() + 3_000_000,
      note: null,
    }),
  },
  {
    name: 'user-edit-details',
    as: 'layla',
    path: at('/user'),
    shows: 'Connected Providers',
    async act(page) {
      await press('Edit your details')(page)
      await page.getByRole('dialog').waitFor()
    },
    window: true,
  },
  {
    name: 'shortcuts',
    as: 'ada',
    path: at('/user'),
    shows: 'Single-key shortcuts',
    async act(page) {
      await page
        .getByRole('button', { name: /^(ada|Menu)$/ })
        .filter({ visible: true })
        .click()
      await page.waitForLoadState('networkidle')
      await page.getByText('Keyboard shortcuts').click()
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    },
    window: true,
  },
  { name: 'user-no-role', as: 'grace', path: at('/user'), shows: 'No role' },
]
