import { expect, test } from 'vitest'
import { freshDatabase } from '../../test/support/database/databases.ts'
import { minutes, seconds } from '../shared/time.ts'
import { databaseClock, databaseTime } from './clock.ts'

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
