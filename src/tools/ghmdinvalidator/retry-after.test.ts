import { expect, test } from 'vitest'
import { days, seconds } from '../../shared/time.ts'
import { answered, askedWait } from './page.ts'

const now = Date.UTC(2026, 0, 5, 12)

test.each([
  [undefined, {}],
  ['', {}],
  ['soon', {}],
  ['-5', {}],
  ['1.5', {}],
  ['0', { again: 0 }],
  ['10', { again: seconds(10) }],
  [' 7 ', { again: seconds(7) }],
  ['11', { wait: seconds(11) }],
  ['999999999', { wait: days(7) }],
  ['Mon, 05 Jan 2026 11:00:00 GMT', { again: 0 }],
  ['Mon, 05 Jan 2026 12:00:05 GMT', { again: seconds(5) }],
  ['Mon, 05 Jan 2026 12:02:00 GMT', { wait: seconds(120) }],
])('Retry-After: %s asks for %o', (value, asked) => {
  expect(askedWait(value, now)).toEqual(asked)
})

test('a note says how long a host asks to wait when a run cannot', () => {
  expect(answered(429, { wait: 119_001 })).toBe('answered 429, asks to wait 120 s')
  expect(answered(503, { again: 1_000 })).toBe('answered 503')
})
