import { changeJson, inTurn, mockJson, openDialog, press, type Shot, shot } from '../shot.ts'

/** A user with an unconfirmed email, and the link that was mailed to it. */
const unverified = (link: object | null) =>
  inTurn(
    changeJson('/api/v1/auth/session', ({ user }: { user: object | null }) => ({
      user: user && { ...user, emailVerified: false },
    })),
    mockJson('/api/v1/user/email', { email: 'layla@example.com', verified: false, link }),
  )

export const profileShots: readonly Shot[] = [
  shot('user', 'ada', '/user', 'Connected Providers'),
  shot('user-security', 'ada', '/user/security', 'This device'),
  shot('user-security-much', 'layla', '/user/security', 'Show all'),
  shot('user-keys', 'layla', '/user/keys', 'API documentation'),
  shot('user-data', 'ada', '/user/data', 'Download with secrets'),
  shot('user-new-key', 'ada', '/user/keys', 'New API key', { act: press('New API key'), window: true }),
  shot('user-made-lately', 'layla', '/user/security', 'Sign out other devices', {
    before: mockJson(/\/api\/v1\/user\/sessions\?others/, { ended: 1 }),
    act: openDialog('Sign out other devices'),
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
    act: openDialog('Edit your details'),
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
