import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { days, hours, minutes, seconds } from '../shared/time.ts'
import {
  formatAge,
  formatDuration,
  formatInterval,
  formatTime,
  formatZone,
  withLocalTimes,
  withZone,
} from './format-time.ts'

afterEach(() => void vi.useRealTimers())

describe('formatting times', () => {
  it('writes day/month/year and a twelve-hour clock', () => {
    expect(formatTime(new Date(2026, 10, 21, 15, 4, 5).getTime())).toBe('21/11/2026 03:04:05 PM')
  })
  it('writes the UTC times in a server message the same way', () => {
    const at = new Date(Date.UTC(2026, 10, 21, 15, 4, 5))
    const text = withLocalTimes('The last backup is from 2026-11-21 15:04:05 UTC, and no other.')
    expect(text).toBe(`The last backup is from ${formatTime(at.getTime())}, and no other.`)
  })
  it('matches the platform’s British date with a twelve-hour clock for any instant', () => {
    const instant = fc.date({ min: new Date(2001, 8, 10), max: new Date(9999, 0), noInvalidDate: true })
    const two = '2-digit'
    const british = new Intl.DateTimeFormat('en-GB', {
      ...{ day: two, month: two, year: 'numeric', hour: two, minute: two, second: two, hourCycle: 'h12' },
    })
    const agrees = (at: Date) => formatTime(at.getTime()) === british.format(at).replace(',', '').toUpperCase()
    fc.assert(fc.property(instant, agrees))
  })
  it('reads a ten-digit number as seconds', () => {
    const at = new Date(2026, 10, 21, 0, 30, 0).getTime()
    expect(formatTime(at / 1_000)).toBe(formatTime(at))
  })
  it('shows the time zone with its UTC offset at that instant', () => {
    const at = Date.UTC(2026, 6, 15)
    const offset = vi.spyOn(Date.prototype, 'getTimezoneOffset')
    const zones = [0, 240, -330, -60].map((ahead) => {
      offset.mockReturnValue(ahead)
      return formatZone(at).replace(/^\S+ ?/, '')
    })
    offset.mockRestore()
    expect(zones.slice(1)).toEqual(['(UTC-4)', '(UTC+5:30)', '(UTC+1)'])
    expect([withZone('Never', null), withZone('now', at)]).toEqual(['Never', `now · ${formatZone(at)}`])
  })
  it('shows a dash if there is no instant', () => {
    expect(formatTime(null)).toBe('–')
  })
  it('writes past and future ages in their largest unit', () => {
    vi.useFakeTimers()
    const aged = (age: number) => formatAge(Date.now() - age)
    expect([0, 1, 59, 60].map((age) => aged(seconds(age)))).toEqual([
      ...['just now', '1 second ago', '59 seconds ago', '1 minute ago'],
    ])
    expect([hours(1.4), hours(47), days(29), days(45), days(400)].map(aged)).toEqual([
      ...['1 hour ago', '2 days ago', '29 days ago', '2 months ago', '1 year ago'],
    ])
    expect([-minutes(28), -hours(2)].map(aged)).toEqual(['in 28 minutes', 'in 2 hours'])
  })
  it('words an age like Intl.RelativeTimeFormat', () => {
    vi.useFakeTimers()
    const platform = new Intl.RelativeTimeFormat('en')
    const ages = [1, 2, 23].flatMap((count) => [
      formatAge(Date.now() - hours(count)),
      formatAge(Date.now() + hours(count)),
    ])
    expect(ages).toEqual(
      [1, 2, 23].flatMap((count) => [platform.format(-count, 'hour'), platform.format(count, 'hour')]),
    )
  })
  it.each([
    ['durations below one second in milliseconds', formatDuration(0), '0 ms'],
    ['rounded milliseconds', formatDuration(231), '231 ms'],
    ['longer durations in seconds', formatDuration(1_440), '1.4 s'],
    ['many seconds without a decimal', formatDuration(60_000), '60 s'],
    ['an interval in its largest whole unit', formatInterval(minutes(28)), '28 minutes'],
    ['hours', formatInterval(hours(12)), '12 hours'],
    ['one hour', formatInterval(hours(1)), '1 hour'],
    ['minutes that are not whole', formatInterval(seconds(90)), '90 seconds'],
  ])('writes %s', (_what, written, expected) => {
    expect(written).toBe(expected)
  })
})
