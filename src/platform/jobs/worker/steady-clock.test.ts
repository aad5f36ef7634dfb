import { expect, test } from 'vitest'
import { hours } from '../../../shared/time.ts'
import { steadyClock } from './steady-clock.ts'

const start = Date.UTC(2026, 0, 5, 12)

/** A wall clock that `set` changes and that takes `reading` ms to read, and the steady clock that follows it. */
function clocks() {
  const clock = { at: start, passed: 0, reading: 0 }
  const pass = (ms: number) => {
    clock.at += ms
    clock.passed += ms
  }
  const now = () => {
    pass(clock.reading)
    return clock.at
  }
  const set = (by: number) => {
    clock.at += by
  }
  return { clock, pass, set, steady: steadyClock({ now, elapsed: () => clock.passed }) }
}

test.each([hours(3), -hours(3)])('reports that the clock was set by %i ms, and follows it on request', async (by) => {
  const { steady, pass, set } = clocks()
  pass(5_000)
  set(by)
  expect(await steady.step()).toEqual({ by, since: start + by })
  expect(steady.now()).toBe(start + 5_000)
  steady.follow({ by, since: 0 })
  expect(steady.now()).toBe(start + 5_000 + by)
  expect(await steady.step()).toBeUndefined()
})

test('follows clock drift without reporting a step', async () => {
  const { steady, pass, set } = clocks()
  pass(5_000)
  set(50)
  expect(await steady.step()).toBeUndefined()
  expect(steady.now()).toBe(start + 5_050)
})

test('reports no step if the process was paused while it read the clock', async () => {
  const { clock, steady, set } = clocks()
  set(hours(3))
  clock.reading = 101
  expect(await steady.step()).toBeUndefined()
  clock.reading = 0
  expect(await steady.step()).toMatchObject({ by: hours(3) })
})
