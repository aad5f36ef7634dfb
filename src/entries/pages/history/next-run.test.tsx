import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { minutes } from '../../../shared/time.ts'
import { formatAge, formatTime } from '../../../ui/format-time.ts'
import { NextRun } from './next-run.tsx'

vi.mock('../../../ui/clock.ts', () => ({ useWords: (_at: unknown, words: () => string) => words() }))

const tool = {
  id: 'keepalive',
  label: 'Keep Alive',
  noun: 'keep-alive entry',
  path: '/api/v1/keepalive',
} as const
const entry = {
  id: 'e',
  status: true,
  owner: 'ada@example.com',
  createdAt: 0,
  updatedAt: 0,
  changedBy: null,
  changedById: null,
  changedAt: 0,
  lastRun: null,
  history: [],
  stats: { up: null, median: null, p95: null, days: [] },
}

test('a turn that waits for its host says since when, and on what it waits', () => {
  const since = Date.UTC(2026, 10, 22, 10, 42)
  const show = (waitingSince: number | null) =>
    renderToStaticMarkup(
      <QueryClientProvider client={new QueryClient()}>
        <NextRun
          tool={tool}
          entry={{ ...entry, nextRunAt: since + minutes(60), waitingSince }}
          interval={minutes(28)}
        />
      </QueryClientProvider>,
    )
  const age = `<b title="${formatTime(since)}">${formatAge(since)}</b>`
  expect(show(since)).toContain(`Was due ${age}, every 28 minutes. Waiting for other entries on this host.`)
  expect(show(null)).toContain('every 28 minutes')
})
