import { afterEach, expect, test, vi } from 'vitest'
import { hours, minutes, seconds } from '../shared/time.ts'
import { timeNow, updateClockOffset } from './time-now.ts'

const at = Date.parse('2026-11-21T12:00:00Z')
const date = new Date(at).toUTCString()
afterEach(() => updateClockOffset(date, at, at))

test.each([
  ['right', 0, 0],
  ['right while a response is slow', -minutes(2), 0],
  ['right while a response was prefetched', seconds(4), 0],
  ['three hours ahead', hours(3), -hours(3)],
  ['two days behind', -hours(48), hours(48)],
])('timeNow follows the server when the browser clock is %s', (_what, sent, ahead) => {
  vi.spyOn(Date, 'now').mockReturnValue(at)
  const received = ahead === 0 ? Math.max(sent, 0) : sent
  updateClockOffset(date, at + sent, at + received)
  expect(Math.abs(timeNow() - at - ahead)).toBeLessThanOrEqual(seconds(1))
})

test('a response without a valid date does not change the time', () => {
  vi.spyOn(Date, 'now').mockReturnValue(at)
  updateClockOffset(date, at + hours(1), at + hours(1))
  const before = timeNow()
  for (const none of [null, '', 'soon']) updateClockOffset(none, at, at)
  expect(timeNow()).toBe(before)
})
