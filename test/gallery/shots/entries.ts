import type { Scene } from '../scene.ts'
import { at, broken, but, editedMeanwhile, hover, instead, never, press, type Shot } from '../shot.ts'

const list = /keepalive\/list/
const form = '/tools/keepalive/modify'
const whole = ({ entries }: Scene) => `${form}?id=${entries.whole}`

export const entryShots: readonly Shot[] = [
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
    before: instead('/api/v1/events*', (route) => route.abort()),
    window: true,
  },
]
