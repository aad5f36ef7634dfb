import type { Page } from '@playwright/test'
import { mockRoute, press, type Shot, shot } from '../shot.ts'

/** A user with an unconfirmed email, and the link that was mailed to it. */
const unverified = (link: object | null) => async (page: Page) => {
  await mockRoute('/api/v1/auth/session', async (route) => {
    const response = await route.fetch()
    const { user } = await response.json()
    await route.fulfill({ response, json: { user: user && { ...user, emailVerified: false } } })
  })(page)
  await mockRoute('/api/v1/user/email', (route) =>
    route.fulfill({ json: { email: 'layla@example.com', verified: false, link } }),
  )(page)
}

export const profileShots: readonly Shot[] = [
  shot('user', 'ada', '/user', 'Connected Providers'),
  shot('user-security', 'ada', '/user/security', 'This device'),
  shot('user-security-much', 'layla', '/user/security', 'Show all'),
  shot('user-keys', 'layla', '/user/keys', 'API documentation'),
  shot('user-data', 'ada', '/user/data', 'Download with secrets'),
  shot('user-new-key', 'ada', '/user/keys', 'New API key', { act: press('New API key'), window: true }),
  shot('user-made-lately', 'layla', '/user/security', 'Sign out other devices', {
    before: mockRoute(/\/api\/v1\/user\/sessions\?others/, (route) => route.fulfill({ json: { ended: 1 } })),
    async act(page) {
      await press('Sign out other devices')(page)
      await page.getByRole('dialog').waitFor()
    },
    window: true,
  }),
  shot('user-unverified', 'layla', '/user', 'Confirm your email', { before: unverified(null) }),
  shot('user-unverified-sent', 'layla', '/user', 'Open it by', {
    before: unverified({
      at: 0,
      sentAt: 0,
      expiresAt: Date.now() + 1_500_000,
      nextAt: Date.now() + 3_000_000,
      note: null,
    }),
  }),
  shot('user-edit-details', 'layla', '/user', 'Connected Providers', {
    async act(page) {
      await press('Edit your details')(page)
      await page.getByRole('dialog').waitFor()
    },
    window: true,
  }),
  shot('shortcuts', 'ada', '/user', 'Single-key shortcuts', {
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
  }),
  shot('user-no-role', 'grace', '/user', 'No role'),
]
