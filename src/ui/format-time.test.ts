import { format } from 'date-fns'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hours, minutes, seconds } from '../shared/time.ts'
import { formatDuration, formatInterval, formatTime } from './format-time.ts'

describe('times on the screen', () => {
  it('reads as day, month, year and a twelve-hour clock', () => {
    expect(formatTime(new Date(2026, 10, 21, 15, 4, 5).getTime())).toBe('21/11/2026 03:04:05 PM')
  })
  it('is what date-fns writes for dd/MM/yyyy hh:mm:ss a, at any instant', () => {
    const instant = fc.date({ min: new Date(2001, 8, 10), max: new Date(9999, 0), noInvalidDate: true })
    const agrees = (at: Date) => formatTime(at.getTime()) === format(at, 'dd/MM/yyyy hh:mm:ss a')
    fc.assert(fc.property(instant, agrees))
  })
  it('takes a ten-digit number for seconds', () => {
    const at = new Date(2026, 10, 21, 0, 30, 0).getTime()
    expect(formatTime(at / 1_000)).toBe(formatTime(at))
  })
  it('shows a dash for an instant that never was', () => {
    expect(formatTime(null)).toBe('–')
  })
  it('measures in the unit a person would use', () => {
    expect([formatDuration(0), formatDuration(231), formatDuration(1_440), formatDuration(60_000)]).toEqual([
      '0 ms',
      '231 ms',
      '1.4 s',
      '60 s',
    ])
  })
  it('names an interval in its largest whole unit', () => {
    expect([
      formatInterval(minutes(28)),
      formatInterval(hours(12)),
      formatInterval(hours(1)),
      formatInterval(seconds(90)),
    ]).toEqual(['28 minutes', '12 hours', '1 hour', '90 seconds'])
  })
})
