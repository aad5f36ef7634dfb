import { beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase } from '../../test/support/database/databases.ts'
import { minutes, seconds } from '../shared/time.ts'
import { databaseClock, databaseTime, elapsedOnMachine } from './clock.ts'

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

test("databaseTime returns the PostgreSQL server's time", async () => {
  const { db, drop } = await freshDatabase('postgres')
  expect(Math.abs((await databaseTime(db)) - Date.now())).toBeLessThan(seconds(30))
  await drop()
})

/** A server clock, and a clock that follows it with this latency (ms) of requests and responses. */
async function between(server: number, latency: { there: number; back: number }) {
  const at = { server, elapsed: 0 }
  const pass = (ms: number) => {
    at.server += ms
    at.elapsed += ms
  }
  const read = async () => {
    pass(latency.there)
    const serverTime = at.server
    pass(latency.back)
    return serverTime
  }
  const clock = await databaseClock(read, () => at.elapsed)
  return { ...clock, at, pass, latency }
}

test('advances between looks, and follows the server clock when that is set', async () => {
  const clock = await between(minutes(100), { there: 0, back: 0 })
  clock.pass(1_500)
  expect(clock.now()).toBe(clock.at.server)
  clock.at.server -= minutes(3)
  await clock.refresh()
  expect(clock.now()).toBe(clock.at.server)
})

test('a slow response changes the clock no further than its latency justifies', async () => {
  const clock = await between(minutes(100), { there: 5, back: 5 })
  expect(clock.now()).toBe(clock.at.server)
  Object.assign(clock.latency, { there: 0, back: seconds(8) })
  await clock.refresh()
  expect(clock.now()).toBe(clock.at.server)
  clock.at.server += minutes(1)
  Object.assign(clock.latency, { there: 200, back: 0 })
  await clock.refresh()
  expect(Math.abs(clock.now() - clock.at.server)).toBeLessThanOrEqual(200)
})
