import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { dayOf, days, minutes } from '../../../shared/time.ts'
import type { Run, Stats } from '../../contract.ts'
import { Chart } from './chart.tsx'

vi.mock('../../../ui/clock.ts', () => ({ useAgo: () => '' }))

const show = (history: Run[], uptime: Partial<Stats['uptime']> = {}) => {
  const none = { '24h': null, '7d': null, '30d': null, '90d': null }
  const all = [{ day: dayOf(Date.now()), ok: history.length, fail: 0, ms: 100 }]
  const stats = { up: 1, median: 1, p95: 1, uptime: { ...none, ...uptime }, days: all }
  return renderToStaticMarkup(<Chart history={history} stats={stats} words={{ rate: 'Uptime' }} />)
}
const figures = (html: string) => [...html.matchAll(/<dd[^>]*>([^<]*)<\/dd>/g)].map(([, text]) => text)
const run = (ago: number, success = true): Run => ({ timestamp: Date.now() - ago, success, duration: 100 })

test('shows the figures of the runs but no uptime if runs cover less than half of the range', () => {
  expect(figures(show([run(minutes(1)), run(minutes(2), false)]))).toEqual(['–', '1 of 2', '100 ms', '100 ms'])
  expect(figures(show([run(minutes(1))], { '24h': 0.99955 }))).toEqual(['99.95%', '0 of 1', '100 ms', '100 ms'])
})

test('a range without runs shows a message instead of a chart', () => {
  const empty = show([run(days(2))])
  expect(empty).toContain('No runs in the last 24 hours.')
  expect(figures(empty)).toEqual(['–', '–', '–', '–'])
  expect(show([])).toContain('No runs yet.')
})
