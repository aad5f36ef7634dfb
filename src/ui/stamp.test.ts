import { format } from 'date-fns'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hours, minutes, seconds } from '../shared/time.ts'
import { every, span, stamp } from './stamp.ts'

describe('times on the screen', () => {
  it('reads as day, month, year and a twelve-hour clock', () => {
    expect(stamp(new Date(2026, 10, 21, 15, 4, 5).getTime())).toBe('21/11/2026 03:04:05 PM')
  })
  it('is what date-fns writes for dd/MM/yyyy hh:mm:ss a, at any instant', () => {
    const instant = fc.date({ min: new Date(2001, 8, 10), max: new Date(9999, 0), noInvalidDate: true })
    const agrees = (at: Date) => stamp(at.getTime()) === format(at, 'dd/MM/yyyy hh:mm:ss a')
    fc.assert(fc.property(instant, agrees))
  })
  it('takes a ten-digit number for seconds', () => {
    const at = new Date(2026, 10, 21, 0, 30, 0).getTime()
    expect(stamp(at / 1_000)).toBe(stamp(at))
  })
  it('shows a dash for an instant that never was', () => {
    expect(stamp(null)).toBe('–')
  })
  it('measures in the unit a person would use', () => {
    expect([span(0), span(231), span(1_440), span(60_000)]).toEqual(['0 ms', '231 ms', '1.4 s', '60 s'])
  })
  it('names an interval in its largest whole unit', () => {
    expect([every(minutes(28)), every(hours(12)), every(hours(1)), every(seconds(90))]).toEqual([
      '28 minutes',
      '12 hours',
      '1 hour',
      '90 seconds',
    ])
  })
})
