import { describe, expect, test } from 'vitest'
import type { Quiet } from '../../../shared/quiet.ts'
import { days, hours, type Instant, minutes } from '../../../shared/time.ts'
import { wallTime } from '../../../shared/zone.ts'
import { monthOf, type PingedApp, poolsOf } from './routes.ts'

const aMinute = minutes(1)
const year: [Instant, Instant] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)]
const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))

/** Whether each minute of the year is in quiet hours, by the wall clock of their time zone. */
function quietMinutes({ zone, days: on, from, to }: Quiet): Uint8Array {
  const [begins, ends] = [minutesOf(from), minutesOf(to)]
  const quiet = new Uint8Array((year[1] - year[0]) / aMinute)
  for (let half = 0; half < quiet.length; half += 30) {
    const wall = wallTime(zone, year[0] + half * aMinute) / aMinute
    for (let minute = 0; minute < 30; minute += 1) {
      const [day, time] = [Math.floor((wall + minute) / 1_440), (wall + minute) % 1_440]
      const isOn = (of: number) => on.includes(((of + 3) % 7) + 1)
      const tonight = isOn(day) && time >= begins && (begins > ends || time < ends)
      const lastNight = begins > ends && isOn(day - 1) && time < ends
      quiet[half + minute] = tonight || lastNight ? 1 : 0
    }
  }
  return quiet
}

/** For every minute: whether the app is awake, and the next turn at that time. */
function simulate(quiet: Uint8Array, { every, sleepsAfter, first }: Record<'every' | 'sleepsAfter' | 'first', number>) {
  const awake = new Uint8Array(quiet.length)
  const turns = new Int32Array(quiet.length)
  let [turn, until] = [first, -1]
  for (let minute = 0; minute < quiet.length; minute += 1) {
    if (turn <= minute && quiet[minute] === 0) {
      until = minute + sleepsAfter
      const next = turn + every * (Math.floor((minute - turn) / every) + 1)
      turn = next - minute < every / 2 ? minute + every : next
    }
    awake[minute] = minute < until ? 1 : 0
    turns[minute] = turn
  }
  return { awake, turns }
}

const months = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 15, 12))
const hosts = {
  heroku: { domain: 'herokuapp.com', sleepsAfter: 30 },
  render: { domain: 'onrender.com', sleepsAfter: 15 },
}
const everyDay = [1, 2, 3, 4, 5, 6, 7]

describe('the forecast of each month is within 1 % of a simulated year', () => {
  test.each([
    ['Europe/Berlin', 'heroku', 28, { days: everyDay, from: '22:30', to: '06:15' }],
    ['America/New_York', 'render', 13, { days: [1, 2, 3, 4, 5], from: '01:30', to: '14:00' }],
    ['Australia/Lord_Howe', 'render', 14, { days: everyDay, from: '19:00', to: '07:30' }],
    ['America/Santiago', 'heroku', 45, { days: [6, 7], from: '00:00', to: '23:45' }],
    ['Pacific/Chatham', 'render', 60, { days: everyDay, from: '12:00', to: '15:20' }],
  ] as const)('in %s, on %s, every %i minutes', async (zone, at, every, { days: on, from, to }) => {
    const { domain, sleepsAfter } = hosts[at]
    const quiet = { zone, days: [...on], from, to }
    const { awake, turns } = simulate(quietMinutes(quiet), { every, sleepsAfter, first: 7 })
    for (const now of months) {
      const [begins, ends] = monthOf(now).map((at) => (at - year[0]) / aMinute) as [number, number]
      const simulated = awake.subarray(begins, ends).reduce((sum, one) => sum + one, 0) / 60
      const turnAt = year[0] + turns[(now - year[0]) / aMinute]! * aMinute
      const pinged = { url: `https://app.${domain}/`, every: minutes(every), quiet, turnAt, createdAt: 0 }
      const [pool] = await poolsOf([pinged], now)
      expect(Math.abs(pool!.hours / simulated - 1), `${pool!.hours} of ${simulated}`).toBeLessThan(0.01)
    }
  })
})

const now = Date.UTC(2026, 10, 23, 12)
const app = (name: string, more: Partial<PingedApp> = {}): PingedApp => ({
  url: `https://${name}.onrender.com/`,
  every: minutes(13),
  quiet: null,
  turnAt: now,
  createdAt: 0,
  ...more,
})

test('an app that is always pinged uses all hours of the month, regardless of the number of its URLs', async () => {
  const twice = [app('one'), app('one', { url: 'https://ONE.onrender.com/health', every: minutes(5) })]
  expect(await poolsOf(twice, now)).toMatchObject([
    { host: { id: 'render' }, entries: 2, apps: 1, hours: 720, used: 540, over: false, runsOutAt: null, quiet: null },
  ])
})

test('hours count from the creation of each entry on', async () => {
  const createdAt = now - days(2)
  const young = app('one', { createdAt, turnAt: createdAt })
  expect(await poolsOf([young], now)).toMatchObject([{ hours: 9.5 * 24, used: 48, over: false }])
  expect(await poolsOf([app('one', { every: minutes(60), createdAt, turnAt: createdAt })], now)).toMatchObject([
    { used: 12 },
  ])
  const quiet = { zone: 'UTC', days: everyDay, from: '00:00', to: '12:00' }
  expect(await poolsOf([young, app('one', { quiet, turnAt: now })], now)).toMatchObject([{ apps: 1 }])
  expect(await poolsOf([app('new', { createdAt: now })], now)).toMatchObject([{ used: 0, hours: 7.5 * 24 }])
})

test('hosts are counted separately, and hosts without a budget are not counted', async () => {
  const others = ['https://a.herokuapp.com', 'https://b.koyeb.app', 'https://example.com'].map((url) => ({
    ...app(''),
    url,
  }))
  const pools = await poolsOf([...others, app('one'), app('two')], now)
  expect(pools.map(({ host, hours }) => [host.id, hours])).toEqual([
    ['render', 1_440],
    ['heroku', 720],
  ])
})

test('each ping keeps an app awake for its idle time if pings are further apart than that', async () => {
  const [pool] = await poolsOf([app('one', { every: minutes(60) })], now)
  expect(pool?.hours).toBe(180)
  const half = minutes(30)
  const [both] = await poolsOf(
    [app('one', { every: minutes(60) }), app('one', { every: minutes(60), turnAt: now + half })],
    now,
  )
  expect(both?.hours).toBe(360)
})

test('too many apps use up the hours on a predicted day, and with the suggested quiet hours they last', async () => {
  for (const apps of [2, 3, 4, 5]) {
    const all = (more?: Partial<PingedApp>) => Array.from({ length: apps }, (_, n) => app(`app${n}`, more))
    const [pool] = await poolsOf(all(), now)
    expect(pool).toMatchObject({ hours: 720 * apps, over: true, budget: { hours: 750 } })
    expect(pool?.runsOutAt).toBe(Date.UTC(2026, 10, 1) + hours(750 / apps))
    const quiet = { zone: 'America/New_York', days: everyDay, ...pool!.quiet! }
    for (const month of months) {
      const [fitting] = await poolsOf(all({ quiet, turnAt: month }), month)
      expect(fitting).toMatchObject({ over: false, quiet: null })
      expect(fitting!.hours).toBeGreaterThan(600)
    }
  }
})

test('no quiet hours are suggested if none would suffice', async () => {
  const many = Array.from({ length: 40 }, (_, n) => app(`app${n}`))
  expect(await poolsOf(many, now)).toMatchObject([{ over: true, quiet: null }])
  expect(await poolsOf([], now)).toEqual([])
  expect(monthOf(now)).toEqual([Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 1)])
  expect(monthOf(Date.UTC(2026, 11, 31))[1] - monthOf(Date.UTC(2026, 11, 31))[0]).toBe(days(31))
})
