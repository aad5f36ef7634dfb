import { broken, mockRoute, overrideFields, press, type Shot, shot } from './shot.ts'
import { accessShots } from './shots/access.ts'
import { adminShots } from './shots/admin.ts'
import { arrivalShots } from './shots/arrival.ts'
import { crowdedShots } from './shots/crowded.ts'
import { entryShots } from './shots/entries.ts'
import { inboxShots } from './shots/inbox.ts'
import { inviteShots } from './shots/invite.ts'
import { profileShots } from './shots/profile.ts'
import { relayShots } from './shots/relay.ts'
import { statusShots } from './shots/status.ts'
import { unsavedShots } from './shots/unsaved.ts'

export const shots: readonly Shot[] = [
  ...accessShots,
  ...adminShots,
  ...arrivalShots,
  ...crowdedShots,
  ...entryShots,
  ...inboxShots,
  ...inviteShots,
  ...profileShots,
  ...relayShots,
  ...statusShots,
  ...unsavedShots,
  shot('home-signed-out', 'nobody', '/', 'hard to know'),
  shot('home-no-admin', 'nobody', '/', 'no admin yet', {
    before: overrideFields('/api/v1/config', { needsAdmin: true }),
  }),
  shot('home', 'ada', '/', 'Recent runs'),
  shot('home-empty', 'noor', '/', 'No entries yet'),
  shot('home-long-name', 'layla', '/', 'No entries yet'),
  shot('home-no-role', 'grace', '/', 'Request access'),
  shot('home-unreachable', 'ada', '/', "Couldn't load this page", {
    before: mockRoute('/api/v1/auth/session', (route) => route.abort()),
  }),
  ...[
    ['home', '/'],
    ['security', '/user/security'],
    ['channels', '/user/channels'],
    ['status', '/user/status'],
    ['health', '/admin/health'],
    ['backups', '/admin/backups'],
  ].map(([name, path]) =>
    shot(`failed-${name}`, 'ada', `${path}`, "Couldn't load", {
      before: mockRoute(/\/api\/(?!v1\/auth\/session)/, broken),
    }),
  ),
  shot('not-found', 'nobody', '/nowhere', 'Page Not Found'),
  shot('fail', 'nobody', '/_fail', 'SOMETHING FAILED'),
  shot('unreachable', 'ada', '/tools/keepalive/viewlist', "can't be reached", {
    before: mockRoute('/api/**', (route) => route.abort()),
  }),
  shot('loading', 'nobody', '/_loading', 'Loading'),
  shot('search', 'ada', '/', 'Recent runs', {
    window: true,
    async act(page) {
      await page.locator('[aria-keyshortcuts]').waitFor({ state: 'attached' })
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find anything' }).fill('a')
      await page.getByRole('group', { name: 'Users' }).waitFor()
    },
  }),
  shot('badge', 'nobody', '/tools/analyticsbadge', 'X-Views'),
  shot('badges', 'ada', '/tools/analyticsbadge/badges', 'No badges yet.'),
  shot('api', 'ada', '/api/docs', 'tbx_'),
  shot('menu-tools', 'ada', '/', 'Recent runs', { act: press('Tools'), window: true, only: 'desktop' }),
  shot('menu-admin', 'ada', '/', 'Recent runs', { act: press('Admin'), window: true, only: 'desktop' }),
  shot('menu-sheet', 'ada', '/', 'Recent runs', { act: press('Menu'), window: true, only: 'phone' }),
]
