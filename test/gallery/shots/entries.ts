import type { Page } from '@playwright/test'
import type { Scene } from '../scene.ts'
import {
  broken,
  clickText,
  editedMeanwhile,
  fill,
  hover,
  inTurn,
  mockJson,
  mockRoute,
  never,
  openDialog,
  overrideFields,
  press,
  type Shot,
  seeText,
  shot,
} from '../shot.ts'

const list = /keepalive\/list/
const create = '/tools/keepalive/create'
const form = '/tools/keepalive/modify'
const whole = ({ entries }: Scene) => `${form}?id=${entries.whole}`

const pool = { entries: 2, apps: 2, budget: { hours: 750, per: 'month' } }
const pools = [
  {
    ...{ ...pool, host: { id: 'render', name: 'Render' }, hours: 1_440, used: 1_056, over: true },
    ...{ runsOutAt: Date.UTC(2026, 10, 16, 15), quiet: { from: '18:45', to: '07:00' } },
  },
  {
    ...{ ...pool, host: { id: 'heroku', name: 'Heroku' }, budget: { hours: 1_000, per: 'month' } },
    ...{ hours: 720, used: 528, over: false, runsOutAt: null, quiet: null },
  },
]
const forecast = mockJson('/api/v1/keepalive/forecast', pools)

const validTo = Date.now() + 9.5 * 86_400_000
const night = { zone: 'Europe/Berlin', days: [1, 2, 3, 4, 5], from: '22:00', to: '07:00' }
const fields = {
  quiet: night,
  method: 'GET',
  headers: [
    { name: 'apikey', value: '••••4711' },
    { name: 'X-Unset', value: '' },
  ],
  expect: { statuses: '200-399,401', text: 'Welcome', absent: 'Application error' },
  certificate: { validTo, days: 9 },
}

const unfoldRequest = (page: Page) => page.getByRole('button', { name: 'Request and quiet hours' }).click()

export const entryShots: readonly Shot[] = [
  shot('about', 'ada', '/tools/keepalive', 'Always awake'),
  shot('about-ghmd', 'ada', '/tools/ghmdinvalidator', 'View list'),
  shot('check-ghmd', 'ada', '/tools/ghmdinvalidator/check', 'Page or image URL'),
  shot('create', 'ada', create, 'Interval'),
  shot('create-missing', 'ada', create, 'Interval', { act: hover('Save'), window: true }),
  shot('create-refused', 'ada', create, 'Interval', {
    window: true,
    act: inTurn(fill('URL', 'http://10.0.0.7/'), press('Save'), (page) =>
      page.locator('[aria-invalid=true]').waitFor(),
    ),
  }),
  shot('create-ghmd', 'ada', '/tools/ghmdinvalidator/create', 'Preview'),
  shot('modify-find', 'ada', form, 'Enter your ID'),
  shot('modify', 'ada', whole, 'SUCCESS'),
  shot('modify-new', 'layla', ({ entries }) => `${form}?id=${entries.long}`, 'Run History'),
  shot('modify-one-run', 'ada', whole, '1 run', {
    before: overrideFields('/api/v1/keepalive?id=*', {
      history: [{ success: true, timestamp: Date.now() - 90_000, duration: 84 }],
    }),
  }),
  shot('modify-waiting', 'ada', whole, 'Waiting for other entries', {
    before: overrideFields('/api/v1/keepalive?id=*', { waitingSince: Date.now() - 260_000 }),
  }),
  shot('modify-loading', 'ada', whole, 'Loading', { before: mockRoute('/api/v1/keepalive?id=*', never) }),
  shot('modify-unknown', 'ada', `${form}?id=unknown`, 'Enter your ID', {
    window: true,
    act: (page) => page.locator('[data-kind=danger]').waitFor(),
  }),
  shot('modify-delete', 'ada', whole, 'SUCCESS', { act: press('Delete'), window: true }),
  shot('modify-conflict', 'ada', whole, 'SUCCESS', {
    before: editedMeanwhile('/api/v1/keepalive', { interval: 5 }),
    act: inTurn(
      fill('URL', 'https://example.com/a-place-of-my-own/with/a-rather-long-path?and=a-query'),
      openDialog('Save'),
    ),
    window: true,
  }),
  shot(
    'modify-ghmd',
    'ada',
    ({ entries }) => `/tools/ghmdinvalidator/modify?id=${entries.page}`,
    'Purge after a release',
  ),
  shot('list', 'ada', '/tools/keepalive/viewlist', '1 of 1001'),
  shot('list-selected', 'ada', '/tools/keepalive/viewlist', '1 of 1001', {
    async act(page) {
      const boxes = page.locator('tbody').getByRole('checkbox')
      await boxes.nth(1).check()
      await boxes.nth(4).check()
      await page.getByRole('region', { name: 'Selected entries' }).waitFor()
    },
  }),
  shot('list-empty', 'noor', '/tools/keepalive/viewlist', '0 rows'),
  shot('list-no-match', 'ada', '/tools/keepalive/viewlist?url=nothing', 'No rows match'),
  shot('list-long', 'layla', '/tools/keepalive/viewlist', '1 row'),
  shot('list-loading', 'ada', '/tools/keepalive/viewlist', 'Loading…', { before: mockRoute(list, never) }),
  shot('list-error', 'ada', '/tools/keepalive/viewlist', 'Something went wrong.', {
    before: mockRoute(list, broken),
    window: true,
  }),
  shot('list-lost', 'ada', '/tools/keepalive/viewlist', 'Connection lost', {
    before: mockRoute('/api/v1/events*', (route) => route.abort()),
    window: true,
  }),
  shot('create-host', 'ada', create, 'Interval', {
    before: mockJson('/api/v1/keepalive/advice', { pool: pools[0] }),
    act: inTurn(fill('URL', 'https://app.onrender.com/health'), seeText('Fill in these quiet hours')),
  }),
  shot('create-host-warning', 'ada', create, 'Interval', {
    act: inTurn(fill('URL', 'https://app.up.railway.app'), seeText('pings cost money')),
  }),
  shot('list-hours', 'ada', '/tools/keepalive/viewlist', '1,440 of 750 hours', { before: forecast }),
  shot('home-hours', 'ada', '/', '1,440 of 750 hours', { before: forecast }),
  shot('modify-requests', 'ada', whole, 'Ends in 9 days', {
    before: overrideFields('/api/v1/keepalive?id=*', fields),
    act: inTurn(unfoldRequest, (page) => page.getByLabel('Must contain').waitFor()),
  }),
  shot('create-advanced', 'ada', create, 'Interval', {
    act: inTurn(unfoldRequest, clickText('HEAD')),
  }),
]
