import { beforeEach, describe, expect, test } from 'vitest'
import { elapsedOnMachine } from './clock.ts'

describe('elapsed time', () => {
  const clocks = { awake: 0, up: 0, now: 0 }
  let elapsed: () => number
  beforeEach(() => {
    Object.assign(clocks, { awake: 500, up: 90_000, now: 1_700_000_000_000 })
    elapsed = elapsedOnMachine({ awake: () => clocks.awake, up: () => clocks.up, now: () => clocks.now })
  })
  const pass = (ms: number) => {
    clocks.awake += ms
    sleep(ms)
  }
  const sleep = (ms: number) => {
    clocks.up += ms
    clocks.now += ms
  }

  test('advances while the machine is awake', () => {
    const before = elapsed()
    pass(1_234)
    expect(elapsed() - before).toBe(1_234)
  })

  test('advances while the machine sleeps', () => {
    const before = elapsed()
    sleep(3_600_000)
    expect(elapsed() - before).toBe(3_600_000)
    pass(10)
    sleep(60_000)
    expect(elapsed() - before).toBe(3_660_010)
  })

  test.each([-86_400_000, 86_400_000])('ignores a change of the wall clock by %i ms', (by) => {
    const before = elapsed()
    clocks.now += by
    expect(elapsed() - before).toBe(0)
    pass(1_000)
    expect(elapsed() - before).toBe(1_000)
  })

  test('counts a sleep during which the wall clock is set', () => {
    const before = elapsed()
    sleep(60_000)
    clocks.now -= 3_600_000
    expect(elapsed() - before).toBe(60_000)
  })
})
