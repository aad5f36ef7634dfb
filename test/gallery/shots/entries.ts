import type { Scene } from '../scene.ts'
import { broken, editedMeanwhile, hover, mockRoute, never, overrideFields, press, type Shot, shot } from '../shot.ts'

const list = /keepalive\/list/
const form = '/tools/keepalive/modify'
const whole = ({ entries }: Scene) => `${form}?id=${entries.whole}`

export const entryShots: readonly Shot[] = [
  shot('about', 'ada', '/tools/keepalive', 'Always awake'),
  shot('about-ghmd', 'ada', '/tools/ghmdinvalidator', 'View list'),
  shot('check-ghmd', 'ada', '/tools/ghmdinvalidator/check', 'Page or image URL'),
  shot('create', 'ada', '/tools/keepalive/create', 'Interval'),
  shot('create-missing', 'ada', '/tools/keepalive/create', 'Interval', { act: hover('Save'), window: true }),
  shot('create-refused', 'ada', '/tools/keepalive/create', 'Interval', {
    window: true,
    async act(page) {
      await page.getByLabel('URL').fill('http://10.0.0.7/')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('[aria-invalid=true]').waitFor()
    },
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
    async act(page) {
      await page.getByLabel('URL').fill('https://example.com/a-place-of-my-own/with/a-rather-long-path?and=a-query')
      await press('Save')(page)
      await page.getByRole('dialog').waitFor()
    },
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
]
