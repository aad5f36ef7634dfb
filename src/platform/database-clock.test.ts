import { expect, test } from 'vitest'
import { freshDatabase } from '../../test/support/database/databases.ts'
import { minutes, seconds } from '../shared/time.ts'
import { databaseClock, databaseTime } from './clock.ts'

test("PostgreSQL tells its server's time", async () => {
  const { db, drop } = await freshDatabase('postgres')
  expect(Math.abs((await databaseTime(db)) - Date.now())).toBeLessThan(seconds(30))
  await drop()
})

/** A server whose answers take `there` and `back`, and a clock that follows it. */
async function between(server: number, latency: { there: number; back: number }) {
  const at = { server, elapsed: 0 }
  const pass = (ms: number) => {
    at.server += ms
    at.elapsed += ms
  }
  const read = async () => {
    pass(latency.there)
    const told = at.server
    pass(latency.back)
    return told
  }
  const clock = await databaseClock(read, () => at.elapsed)
  return { ...clock, at, pass, latency }
}

test('goes on between looks, and follows when it was set', async () => {
  const clock = await between(minutes(100), { there: 0, back: 0 })
  clock.pass(1_500)
  expect(clock.now()).toBe(clock.at.server)
  clock.at.server -= minutes(3)
  await clock.look()
  expect(clock.now()).toBe(clock.at.server)
})

test('answers that come late move it no further than they prove', async () => {
  const clock = await between(minutes(100), { there: 5, back: 5 })
  expect(clock.now()).toBe(clock.at.server)
  Object.assign(clock.latency, { there: 0, back: seconds(8) })
  await clock.look()
  expect(clock.now()).toBe(clock.at.server)
  clock.at.server += minutes(1)
  Object.assign(clock.latency, { there: 200, back: 0 })
  await clock.look()
  expect(Math.abs(clock.now() - clock.at.server)).toBeLessThanOrEqual(200)
})
