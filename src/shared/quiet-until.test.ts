import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Quiet } from './quiet.ts'
import { quietUntil } from './quiet-until.ts'
import { minutes } from './time.ts'

const at = (text: string) => Date.parse(text)
const berlin = { zone: 'Europe/Berlin', days: [1, 2, 3, 4, 5, 6, 7], from: '22:00', to: '07:00' }

test.each([
  ['before it begins', '2026-01-05T20:59:59Z', undefined],
  ['as it begins', '2026-01-05T21:00:00Z', '2026-01-06T06:00:00Z'],
  ['after midnight', '2026-01-06T03:00:00Z', '2026-01-06T06:00:00Z'],
  ['as it ends', '2026-01-06T06:00:00Z', undefined],
  ['the night when clocks go forward', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00Z'],
  ['the night when clocks go back', '2026-10-24T22:00:00Z', '2026-10-25T06:00:00Z'],
])('a window across midnight: %s', (_when, now, until) => {
  expect(quietUntil(berlin, at(now))).toBe(until === undefined ? undefined : at(until))
})

test('a window belongs to the day it begins on', () => {
  const sunday = { ...berlin, days: [7] }
  expect(quietUntil(sunday, at('2026-01-05T03:00:00Z'))).toBe(at('2026-01-05T06:00:00Z'))
  expect(quietUntil(sunday, at('2026-01-04T03:00:00Z'))).toBeUndefined()
  expect(quietUntil(sunday, at('2026-01-05T22:00:00Z'))).toBeUndefined()
})

test('a skipped start time begins the window at the clock change; a repeated end time ends it the second time', () => {
  const early = { ...berlin, from: '02:30', to: '06:00' }
  expect(quietUntil(early, at('2026-03-29T00:59:00Z'))).toBeUndefined()
  expect(quietUntil(early, at('2026-03-29T01:00:00Z'))).toBe(at('2026-03-29T04:00:00Z'))
  expect(quietUntil({ ...berlin, from: '01:00', to: '02:30' }, at('2026-10-25T00:45:00Z'))).toBe(
    at('2026-10-25T01:30:00Z'),
  )
})

test('adjacent windows count as one', () => {
  const most = { ...berlin, days: [1, 2], from: '12:00', to: '11:59' }
  expect(quietUntil(most, at('2026-01-05T11:00:00Z'))).toBe(at('2026-01-06T10:59:00Z'))
})

const zones = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
)
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
const quiets = fc
  .record({ zone: zones, days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), from: time, to: time })
  .filter(({ from, to }) => from !== to)
const instants = fc.date({ min: new Date('2025-01-01'), max: new Date('2027-12-31'), noInvalidDate: true })

function localTimeOf(zone: string, instant: number) {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(instant)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  const day = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(of('weekday')) + 1
  return { day, time: `${of('hour')}:${of('minute')}` }
}

/** Whether the time on the zone's clocks is within a window. */
function isQuietOnTheWall({ zone, days, from, to }: Quiet, instant: number): boolean {
  const { day, time } = localTimeOf(zone, instant)
  const before = day === 1 ? 7 : day - 1
  if (from < to) return days.includes(day) && from <= time && time < to
  return (days.includes(day) && from <= time) || (days.includes(before) && time < to)
}

test('it is quiet whenever clocks show a time in a window, until the first instant outside one', () => {
  fc.assert(
    fc.property(quiets, instants, (quiet, date) => {
      const now = date.getTime()
      const until = quietUntil(quiet, now)
      if (isQuietOnTheWall(quiet, now)) expect(until).toBeGreaterThan(now)
      if (until === undefined) return
      expect(isQuietOnTheWall(quiet, until)).toBe(false)
      expect(quietUntil(quiet, until)).toBeUndefined()
      expect(isQuietOnTheWall(quiet, until - minutes(1)) || isNearAStep(quiet.zone, until)).toBe(true)
    }),
    { numRuns: 150 },
  )
})

/** Near a clock change, a window may end later than when clocks first show its end. */
const isNearAStep = (zone: string, instant: number) =>
  new Set([-180, 0, 180].map((ahead) => offset(zone, instant + minutes(ahead)))).size > 1
const offset = (timeZone: string, instant: number) =>
  new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(instant)
    .find(({ type }) => type === 'timeZoneName')?.value

test.each([
  { ...berlin, zone: 'Mars/Phobos' },
  { ...berlin, days: [] },
  { ...berlin, days: [1, 1] },
  { ...berlin, days: [0] },
  { ...berlin, from: '24:00' },
  { ...berlin, to: '22:00' },
])('rejects %j', (quiet) => {
  expect(Quiet.safeParse(quiet).success).toBe(false)
})
