import { overrideFields, type Shot, shot } from '../shot.ts'

const validTo = Date.UTC(2026, 11, 3, 9)
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

export const requestShots: readonly Shot[] = [
  shot(
    'modify-requests',
    'ada',
    ({ entries }) => `/tools/keepalive/modify?id=${entries.whole}`,
    'Certificate ends in 9 days',
    {
      before: overrideFields('/api/v1/keepalive?id=*', fields),
      async act(page) {
        await page.getByRole('button', { name: 'Request and quiet hours' }).click()
        await page.getByLabel('Must contain').waitFor()
      },
    },
  ),
  shot('create-advanced', 'ada', '/tools/keepalive/create', 'Interval', {
    async act(page) {
      await page.getByRole('button', { name: 'Request and quiet hours' }).click()
      await page.getByText('HEAD', { exact: true }).click()
    },
  }),
]
