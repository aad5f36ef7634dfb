import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { dayOf, days, minutes } from '../../../shared/time.ts'
import type { Run, Stats } from '../../contract.ts'
import type { Detail } from '../tool-pages.ts'
import { Chart } from './chart.tsx'
import { OpenIncident } from './incidents.tsx'

vi.mock('../../../ui/clock.ts', () => ({
  useAgo: () => '',
  useTimeDependent: (_at: number, words: () => string) => words(),
}))

const show = (history: Run[], uptime: Partial<Stats['uptime']> = {}, counted = history.length) => {
  const none = { '24h': null, '7d': null, '30d': null, '90d': null }
  const all = [{ day: dayOf(Date.now()), ok: counted, fail: 0, ms: 100 }]
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

test('says that the figures are of the last runs if earlier ones of the range are no longer kept', () => {
  const history = Array.from({ length: 200 }, (_, index) => run(minutes(index)))
  const html = show(history, { '24h': 0.9 }, 1_440)
  expect(figures(html)).toEqual(['90%', '0 of the last 200', '100 ms', '100 ms'])
  expect(html).toContain('No failures in the last 200 runs')
})

test('says that an incident has at least as many failed runs as are kept, but only if earlier ones are not', () => {
  const all = Array.from({ length: 200 }, (_, index) => run(minutes(index), false))
  const render = (failingSince: number, history = all) => {
    const entry = { failingSince, history, health: 'failing', lastRun: null, nextRunAt: null, notifyAfter: 1 }
    return renderToStaticMarkup(<OpenIncident entry={entry as unknown as Detail} incident={undefined} />)
  }
  const first = all.at(-1)!.timestamp
  expect(render(first)).not.toContain('At least')
  expect(render(first - minutes(1))).toContain('At least 200 failed runs')
  // A relay can be blocked before its first stored run.
  expect(render(first - minutes(1), all.slice(1))).not.toContain('At least')
})
