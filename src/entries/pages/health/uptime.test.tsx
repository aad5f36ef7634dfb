import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { dayOf } from '../../../shared/time.ts'
import type { Stats } from '../../contract.ts'
import { Uptime } from './uptime.tsx'

const shares = (uptime: Stats['uptime']) => {
  const days = [{ day: dayOf(Date.now()), ok: 1, fail: 0 }]
  const html = renderToStaticMarkup(<Uptime title="Uptime" stats={{ up: 1, median: 1, p95: 1, uptime, days }} />)
  return [...html.matchAll(/<dd[^>]*>([^<]*)<\/dd>/g)].map(([, text]) => text)
}

test('a period that began before the first run shows all runs so far, as its badge does', () => {
  expect(shares({ '24h': 1, '7d': null, '30d': null, '90d': null })).toEqual(['100%', '100%', '100%', '100%'])
  expect(shares({ '24h': null, '7d': null, '30d': 0.5, '90d': null })).toEqual(['–', '–', '50%', '50%'])
})
