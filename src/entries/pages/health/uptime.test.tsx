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

test('a period that is not half covered shows no share', () => {
  expect(shares({ '24h': 1, '7d': 0.99955, '30d': null, '90d': null })).toEqual(['100%', '99.95%', '–', '–'])
})
