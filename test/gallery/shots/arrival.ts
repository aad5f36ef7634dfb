import {
  changeJson,
  fill,
  inTurn,
  mockJson,
  mockRoute,
  overrideFields,
  press,
  type Shot,
  seeText,
  shot,
} from '../shot.ts'

const invitation = { by: 'Ada', roles: { Admin: 0, Tools: 1 }, tags: ['Verified'], expiresAt: Date.now() }
const invited = inTurn(
  mockRoute('/api/v1/auth/invite', (route) => route.fulfill({ status: 204 })),
  mockJson('/api/v1/auth/invitation', invitation),
)
type SignedIn = { user: { providers: object[] } }

export const arrivalShots: readonly Shot[] = [
  shot('signin', 'nobody', '/auth/signin', 'Sign in with Discord'),
  shot('signin-user', 'nobody', '/auth/signin/user', 'Sign in with Credentials'),
  shot('signin-no-admin', 'nobody', '/auth/signin', 'There is no admin yet', {
    before: overrideFields('/api/v1/config', { needsAdmin: true }),
  }),
  shot('signin-no-provider', 'nobody', '/auth/signin', 'No sign-in provider', {
    before: mockJson('/api/v1/auth/providers', []),
  }),
  shot('signin-wrong', 'nobody', '/auth/signin/user', 'Sign in with Credentials', {
    window: true,
    act: inTurn(fill('Username', 'ada'), fill('Password', 'wrong'), press('Sign in with Credentials'), (page) =>
      page.getByRole('main').getByRole('alert').waitFor(),
    ),
  }),
  shot('setup', 'nobody', '/auth/setup#token=any&for=password', 'Choose a new password'),
  shot('setup-over', 'nobody', '/auth/setup#token=any', 'no longer works'),
  shot('setup-no-token', 'nobody', '/auth/setup?for=password', 'Open the set-up link'),
  shot('forgot', 'nobody', '/auth/forgot', 'Send link'),
  shot('forgot-sent', 'nobody', '/auth/forgot', 'Send link', {
    before: mockJson(
      '/api/v1/auth/forgotten',
      { email: 'ada.lovelace@mathematics.university-of-cordoba.example.com' },
      202,
    ),
    act: inTurn(fill('Email', 'ada@example.com'), press('Send link'), seeText('Check your email')),
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
    before: mockJson('/api/v1/auth/providers', [{ id: '004_OIDC', name: 'Universidad de Córdoba, Departamento de M' }]),
  }),
  shot('user-openid', 'ada', '/user', 'Example Login', {
    before: changeJson('/api/v1/auth/session', ({ user }: SignedIn) => {
      const accountId = 'https://id.example.com/realms/main#5b0cba8d-24bd-4d3e-a8b9-1f2f6d1c7a90'
      const openid = { providerId: '004_OIDC', accountId, accountUsername: 'ada.lovelace' }
      return { user: { ...user, providers: [...user.providers, openid] } }
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
