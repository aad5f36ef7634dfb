import { expect, test } from 'vitest'
import { lottery, streamlitApp, supabaseProject } from '../../../../test/support/fakes/fake-sleepers.ts'
import type { OutboundAnswer } from '../../../platform/net/outbound.ts'
import { days, hours, type Instant, minutes, seconds } from '../../../shared/time.ts'
import { keepalive, newerDefaults } from '../contract.ts'
import type { Act, ActState } from './act.ts'
import { keepStreamlit } from './streamlit.ts'
import { keepSupabase } from './supabase.ts'

const settings = keepalive.Settings.parse({
  ...newerDefaults,
  url: 'https://abcdefgh.supabase.co/',
  interval: null,
  keep: 'auto',
  supabase: { key: 'sb_publishable_fake', table: 'todos' },
})

type App = Pick<ReturnType<typeof streamlitApp>, 'answer'> & { state(): string; session?: unknown }
type Clock = { at: Instant }

/** Performs the turns of an act until a time, each to its end; returns totals of their outcomes. */
async function keep(act: Act, app: App, clock: Clock, every: number, until: Instant) {
  const sums = { runs: 0, falseSuccesses: 0, found: 0, wokenAtOnce: 0, asleepFor: 0 }
  let state: ActState = { awake: null, memory: {} }
  const pass = (ms: number) => {
    if (app.state() !== 'awake') sums.asleepFor += ms
    clock.at += ms
  }
  const ask = async (path: string, options: { method?: string; headers?: Record<string, string> } = {}) => {
    const { method = 'GET', headers = {} } = options
    const answer = app.answer({ method, path, headers, body: '' })
    const body = new TextEncoder().encode(method === 'HEAD' ? '' : answer.body)
    return { answered: true, headers: {}, ...answer, body, url: path, duration: 1 } satisfies OutboundAnswer
  }
  const hold = async (path: string, { protocol, time }: { protocol: string; time: number }) => {
    const session = (app as ReturnType<typeof streamlitApp>).session(path, protocol)
    if (!session) return { held: false, failure: 'http', note: 'refused' } as const
    pass(time)
    session.end()
    return { held: true } as const
  }
  let turnAt = clock.at
  while (turnAt < until) {
    pass(Math.max(0, turnAt - clock.at))
    let isFound = false
    for (;;) {
      const { outcome, foundAsleep, ...next } = await act({ settings, state, now: clock.at, ask, hold })
      state = next
      isFound ||= foundAsleep === true
      if ('retryIn' in outcome) {
        pass(outcome.retryIn)
        continue
      }
      const success = 'success' in outcome && outcome.success
      sums.runs += 1
      if (success && app.state() !== 'awake') sums.falseSuccesses += 1
      if (isFound) sums.found += 1
      if (isFound && success) sums.wokenAtOnce += 1
      break
    }
    turnAt += every
  }
  return sums
}
const wakingOf = (random: number) => seconds(30) + random * minutes(13.5)

test('in 14,000 runs over months, no run of a sleeping app succeeds, and each app wakes within one turn', async () => {
  const random = lottery(38)
  const total = { runs: 0, falseSuccesses: 0, found: 0, wokenAtOnce: 0, asleepFor: 0, lasted: 0 }
  for (let n = 0; n < 100; n++) {
    const clock = { at: 0 }
    const app = streamlitApp(() => clock.at, { wakesIn: wakingOf(random()) })
    app.sleep()
    // ToolBox itself is sometimes down for longer than an app stays awake.
    for (let month = 0; month < 5; month++) {
      const sums = await keep(keepStreamlit, app, clock, hours(6), clock.at + days(7))
      for (const name of ['runs', 'falseSuccesses', 'found', 'wokenAtOnce', 'asleepFor'] as const)
        total[name] += sums[name]
      total.lasted += days(7)
      clock.at += hours(13) + random() * days(3)
    }
  }
  expect(total.runs).toBeGreaterThan(13_000)
  expect(total.falseSuccesses).toBe(0)
  expect(total.found).toBe(500)
  expect(total.wokenAtOnce / total.found).toBeGreaterThanOrEqual(0.99)
  // Apps are asleep only until the first turn has woken them.
  expect(total.asleepFor).toBeLessThanOrEqual(total.found * minutes(15))
  expect(1 - total.asleepFor / total.lasted).toBeGreaterThan(0.999)
})

test('a queried project is never paused, and a run of a paused project is never a success', async () => {
  const clock = { at: 0 }
  const project = supabaseProject(() => clock.at)
  const before = await keep(keepSupabase, project, clock, hours(4), days(365))
  expect(before).toEqual({ runs: 2_190, falseSuccesses: 0, found: 0, wokenAtOnce: 0, asleepFor: 0 })
  project.pause()
  const after = await keep(keepSupabase, project, clock, hours(4), clock.at + days(30))
  expect(after).toMatchObject({ runs: 180, falseSuccesses: 0 })
})
