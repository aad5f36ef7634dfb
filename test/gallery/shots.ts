import { at, but, instead, press, type Shot } from './shot.ts'
import { accessShots } from './shots/access.ts'
import { adminShots } from './shots/admin.ts'
import { arrivalShots } from './shots/arrival.ts'
import { crowdedShots } from './shots/crowded.ts'
import { entryShots } from './shots/entries.ts'
import { hostShots } from './shots/host.ts'
import { inboxShots } from './shots/inbox.ts'
import { inviteShots } from './shots/invite.ts'
import { profileShots } from './shots/profile.ts'
import { relayShots } from './shots/relay.ts'
import { requestShots } from './shots/request.ts'
import { statusShots } from './shots/status.ts'
import { unsavedShots } from './shots/unsaved.ts'
import { usersShots } from './shots/users.ts'

export const shots: readonly Shot[] = [
  ...accessShots,
  ...adminShots,
  ...arrivalShots,
  ...crowdedShots,
  ...entryShots,
  ...hostShots,
  ...inboxShots,
  ...inviteShots,
  ...profileShots,
  ...relayShots,
  ...requestShots,
  ...statusShots,
  ...unsavedShots,
  ...usersShots,
  { name: 'home-signed-out', path: at('/'), shows: 'hard to know' },
  { name: 'home-no-admin', path: at('/'), shows: 'no admin yet', before: but('/api/v1/config', { needsAdmin: true }) },
  { name: 'home', as: 'ada', path: at('/'), shows: 'Recent runs' },
  { name: 'home-empty', as: 'noor', path: at('/'), shows: 'No entries yet' },
  { name: 'home-long-name', as: 'layla', path: at('/'), shows: 'No entries yet' },
  { name: 'home-no-role', as: 'grace', path: at('/'), shows: 'Request access' },
  { name: 'not-found', path: at('/nowhere'), shows: 'Page Not Found' },
  { name: 'fail', path: at('/_fail'), shows: 'SOMETHING FAILED' },
  {
    name: 'unreachable',
    as: 'ada',
    path: at('/tools/keepalive/viewlist'),
    shows: "can't be reached",
    before: instead('/api/**', (route) => route.abort()),
  },
  { name: 'loading', path: at('/_loading'), shows: 'Loading' },
  {
    name: 'search',
    as: 'ada',
    path: at('/'),
    shows: 'Recent runs',
    window: true,
    async act(page) {
      await page.locator('[aria-keyshortcuts]').waitFor({ state: 'attached' })
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find anything' }).fill('a')
      await page.getByRole('group', { name: 'Users' }).waitFor()
    },
  },
  { name: 'badge', path: at('/tools/analyticsbadge'), shows: 'X-Views' },
  { name: 'badges', as: 'ada', path: at('/tools/analyticsbadge/badges'), shows: 'No badges yet.' },
  { name: 'api', as: 'ada', path: at('/api/docs'), shows: 'tbx_' },
  {
    name: 'menu-tools',
    as: 'ada',
    path: at('/'),
    shows: 'Recent runs',
    act: press('Tools'),
    window: true,
    only: 'desktop',
  },
  {
    name: 'menu-admin',
    as: 'ada',
    path: at('/'),
    shows: 'Recent runs',
    act: press('Admin'),
    window: true,
    only: 'desktop',
  },
  {
    name: 'menu-sheet',
    as: 'ada',
    path: at('/'),
    shows: 'Recent runs',
    act: press('Menu'),
    window: true,
    only: 'phone',
  },
]
