import type { Page } from '@playwright/test'
import { accessShots } from './access-shots.ts'
import { arrivalShots } from './arrival-shots.ts'
import { crowdedShots } from './crowded-shots.ts'
import { hostShots } from './host-shots.ts'
import { inboxShots } from './inbox-shots.ts'
import { inviteShots } from './invite-shots.ts'
import { relayShots } from './relay-shots.ts'
import { requestShots } from './request-shots.ts'
import type { Scene } from './scene.ts'
import { at, broken, but, editedMeanwhile, hover, instead, never, press, type Shot } from './shot.ts'
import { statusShots } from './status-shots.ts'
import { unsavedShots } from './unsaved-shots.ts'
import { usersShots } from './users-shots.ts'

const list = /keepalive\/list/
const form = '/tools/keepalive/modify'
const whole = ({ entries }: Scene) => `${form}?id=${entries.whole}`
const layla = (path: string) =>
  `${path}?email=layla.bint.abd.al-rahman.al-andalusi.al-qurtubi@mathematics.university-of-cordoba.example.com`

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

export const shots: readonly Shot[] = [
  ...relayShots,
  ...crowdedShots,
  ...unsavedShots,
  ...usersShots,
  ...inboxShots,
  ...hostShots,
  ...requestShots,
  ...statusShots,
  { name: 'home-signed-out', path: at('/'), shows: 'hard to know' },
  { name: 'home-no-admin', path: at('/'), shows: 'no admin yet', before: but('/api/v1/config', { needsAdmin: true }) },
  { name: 'home', as: 'ada', path: at('/'), shows: 'Recent runs' },
  { name: 'home-empty', as: 'noor', path: at('/'), shows: 'No entries yet' },
  { name: 'home-long-name', as: 'layla', path: at('/'), shows: 'No entries yet' },
  { name: 'home-no-role', as: 'grace', path: at('/'), shows: 'Request access' },
  ...arrivalShots,
  ...accessShots,
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
  { name: 'user', as: 'ada', path: at('/user'), shows: 'Connected Providers' },
  { name: 'user-much', as: 'layla', path: at('/user'), shows: 'Show all' },
  { name: 'user-new-key', as: 'ada', path: at('/user'), shows: 'New API key', act: press('New API key'), window: true },
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
  { name: 'user-no-role', as: 'grace', path: at('/user'), shows: 'No role' },
  { name: 'about', as: 'ada', path: at('/tools/keepalive'), shows: 'Always awake' },
  { name: 'about-ghmd', as: 'ada', path: at('/tools/ghmdinvalidator'), shows: 'View list' },
  { name: 'check-ghmd', as: 'ada', path: at('/tools/ghmdinvalidator/check'), shows: 'Page or image URL' },
  { name: 'create', as: 'ada', path: at('/tools/keepalive/create'), shows: 'Interval' },
  {
    name: 'create-missing',
    as: 'ada',
    path: at('/tools/keepalive/create'),
    shows: 'Interval',
    act: hover('Save'),
    window: true,
  },
  {
    name: 'create-refused',
    as: 'ada',
    path: at('/tools/keepalive/create'),
    shows: 'Interval',
    window: true,
    async act(page) {
      await page.getByLabel('URL').fill('http://10.0.0.7/')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('[aria-invalid=true]').waitFor()
    },
  },
  { name: 'create-ghmd', as: 'ada', path: at('/tools/ghmdinvalidator/create'), shows: 'Preview' },
  { name: 'modify-find', as: 'ada', path: at(form), shows: 'Enter your ID' },
  { name: 'modify', as: 'ada', path: whole, shows: 'SUCCESS' },
  { name: 'modify-new', as: 'layla', path: ({ entries }) => `${form}?id=${entries.long}`, shows: 'Run History' },
  {
    name: 'modify-one-run',
    as: 'ada',
    path: whole,
    shows: '1 run',
    before: but('/api/v1/keepalive?id=*', {
      history: [{ success: true, timestamp: Date.now() - 90_000, duration: 84 }],
    }),
  },
  {
    name: 'modify-waiting',
    as: 'ada',
    path: whole,
    shows: 'Waiting for other entries',
    before: but('/api/v1/keepalive?id=*', { waitingSince: Date.now() - 260_000 }),
  },
  {
    name: 'modify-loading',
    as: 'ada',
    path: whole,
    shows: 'Loading',
    before: instead('/api/v1/keepalive?id=*', never),
  },
  {
    name: 'modify-unknown',
    as: 'ada',
    path: at(`${form}?id=unknown`),
    shows: 'Enter your ID',
    window: true,
    act: (page) => page.locator('[data-kind=danger]').waitFor(),
  },
  { name: 'modify-delete', as: 'ada', path: whole, shows: 'SUCCESS', act: press('Delete'), window: true },
  {
    name: 'modify-conflict',
    as: 'ada',
    path: whole,
    shows: 'SUCCESS',
    before: editedMeanwhile('/api/v1/keepalive', { interval: 5 }),
    async act(page) {
      await page.getByLabel('URL').fill('https://example.com/a-place-of-my-own/with/a-rather-long-path?and=a-query')
      await press('Save')(page)
      await page.getByRole('dialog').waitFor()
    },
    window: true,
  },
  {
    name: 'modify-ghmd',
    as: 'ada',
    path: ({ entries }) => `/tools/ghmdinvalidator/modify?id=${entries.page}`,
    shows: 'Purge after a release',
  },
  { name: 'list', as: 'ada', path: at('/tools/keepalive/viewlist'), shows: '1 of 1001' },
  {
    name: 'list-selected',
    as: 'ada',
    path: at('/tools/keepalive/viewlist'),
    shows: '1 of 1001',
    async act(page) {
      const boxes = page.locator('tbody').getByRole('checkbox')
      await boxes.nth(1).check()
      await boxes.nth(4).check()
      await page.getByRole('region', { name: 'Selected entries' }).waitFor()
    },
  },
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
  { name: 'list-empty', as: 'noor', path: at('/tools/keepalive/viewlist'), shows: '0 rows' },
  { name: 'list-no-match', as: 'ada', path: at('/tools/keepalive/viewlist?url=nothing'), shows: 'No rows match' },
  { name: 'list-long', as: 'layla', path: at('/tools/keepalive/viewlist'), shows: '1 row' },
  {
    name: 'list-loading',
    as: 'ada',
    path: at('/tools/keepalive/viewlist'),
    shows: 'Loading…',
    before: instead(list, never),
  },
  {
    name: 'list-error',
    as: 'ada',
    path: at('/tools/keepalive/viewlist'),
    shows: 'Something went wrong.',
    before: instead(list, broken),
    window: true,
  },
  {
    name: 'list-lost',
    as: 'ada',
    path: at('/tools/keepalive/viewlist'),
    shows: 'Connection lost',
    before: instead('/api/v1/events', (route) => route.abort()),
    window: true,
  },
  { name: 'badge', path: at('/tools/analyticsbadge'), shows: 'X-Views' },
  { name: 'badges', as: 'ada', path: at('/tools/analyticsbadge/badges'), shows: 'No badges yet.' },
  { name: 'users', as: 'ada', path: at('/admin/users'), shows: '1 of 51' },
  { name: 'user-find', as: 'ada', path: at('/admin/user/modify'), shows: 'Enter your User Email' },
  { name: 'user-edit', as: 'ada', path: at(layla('/admin/user/modify')), shows: 'API Keys' },
  {
    name: 'user-status-open',
    as: 'ada',
    path: at(layla('/admin/user/modify')),
    shows: 'API Keys',
    act: press('Show Status'),
    window: true,
  },
  {
    name: 'user-password',
    as: 'ada',
    path: at(layla('/admin/user/modify')),
    shows: 'API Keys',
    act: press('Update Password'),
    window: true,
  },
  {
    name: 'user-delete',
    as: 'ada',
    path: at(layla('/admin/user/modify')),
    shows: 'API Keys',
    act: press('Delete'),
    window: true,
  },
  { name: 'user-create', as: 'ada', path: at('/admin/user/create'), shows: 'No Access' },
  { name: 'audit', as: 'ada', path: at('/admin/audit'), shows: 'Edited user' },
  { name: 'api', as: 'ada', path: at('/api/docs'), shows: 'tbx_' },
  { name: 'health', as: 'ada', path: at('/admin/health'), shows: 'Check again' },
  { name: 'backups', as: 'ada', path: at('/admin/backups'), shows: 'Back up now' },
  { name: 'invites-none', as: 'ada', path: at('/admin/invites'), shows: 'No invitations yet.' },
  ...inviteShots,
  { name: 'announce', as: 'ada', path: at('/admin/notifications'), shows: 'How it will appear' },
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
