import { mockRoute, type Shot, shot } from '../shot.ts'

const create = '/tools/keepalive/create'
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
const forecast = mockRoute('/api/v1/keepalive/forecast', (route) => route.fulfill({ json: pools }))

export const hostShots: readonly Shot[] = [
  shot('create-host', 'ada', create, 'Interval', {
    before: mockRoute('/api/v1/keepalive/advice', (route) => route.fulfill({ json: { pool: pools[0] } })),
    async act(page) {
      await page.getByLabel('URL').fill('https://app.onrender.com/health')
      await page.getByText('Fill in these quiet hours').waitFor()
    },
  }),
  shot('create-host-warning', 'ada', create, 'Interval', {
    async act(page) {
      await page.getByLabel('URL').fill('https://app.up.railway.app')
      await page.getByText('pings cost money').waitFor()
    },
  }),
  shot('list-hours', 'ada', '/tools/keepalive/viewlist', '1,440 of 750 hours', { before: forecast }),
  shot('home-hours', 'ada', '/', '1,440 of 750 hours', { before: forecast }),
]
