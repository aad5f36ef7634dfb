import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { minutes } from '../../shared/time.ts'
import { formatAge } from '../../ui/format-time.ts'
import { connectToaster } from '../../ui/toasts.ts'
import { useRunNow } from './calls.ts'
import { NextRun } from './facts.tsx'
import type { Detail } from './tool-pages.ts'

const { request } = vi.hoisted(() => ({ request: vi.fn() }))
vi.mock('../../ui/data/api.ts', async (original) => ({ ...(await original<object>()), request }))
vi.mock('../../ui/clock.ts', () => ({ useTimeDependent: (_at: unknown, words: () => string) => words() }))

const since = Date.UTC(2026, 10, 22, 10, 42)

test('shows since when and why a turn waits for its host, and a due turn as running', () => {
  const show = (waitingSince: number | null, nextRunAt = Date.now() + minutes(30)) =>
    renderToStaticMarkup(
      <QueryClientProvider client={new QueryClient()}>
        <NextRun entry={{ nextRunAt, waitingSince, lastRun: null } as Detail} />
      </QueryClientProvider>,
    )
  expect(show(since)).toContain(`Was due ${formatAge(since)}. Waiting for other entries on this host.`)
  expect(show(null)).toContain('First run in 30 minutes')
  expect(show(null, since)).toContain('Running')
})

test('Run now on an entry whose turn waits for its host shows that it is queued', async () => {
  const messages: string[] = []
  connectToaster({ show: ({ message }) => messages.push(message), amend: () => {}, withdraw: () => {} })
  let run = async () => {}
  const Caller = () => {
    const { mutateAsync } = useRunNow()
    run = async () => void (await mutateAsync({ tool: 'keepalive', id: 'e' }))
    return null
  }
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <Caller />
    </QueryClientProvider>,
  )
  request.mockResolvedValueOnce({ id: 'e', waitingSince: null })
  await run()
  expect(messages).toEqual([])
  request.mockResolvedValueOnce({ id: 'e', waitingSince: 1 })
  await run()
  expect(messages).toEqual(['Queued. It runs when this host has a free slot.'])
})
