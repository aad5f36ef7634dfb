import { expect, it } from 'vitest'
import { days } from '../../shared/time.ts'
import { expiryOf } from './new-key-modal.tsx'

const now = Date.UTC(2026, 10, 21, 12)

it('adds the chosen period to the current time', () => {
  expect(expiryOf('month', '', now)).toBe(now + days(30))
  expect(expiryOf('quarter', '', now)).toBe(now + days(90))
  expect(expiryOf('year', '', now)).toBe(now + days(365))
})
it('returns null for a key that never expires', () => {
  expect(expiryOf('never', '2026-12-24', now)).toBeNull()
})
it('ends with the chosen day in the browser’s time zone', () => {
  expect(expiryOf('date', '2026-12-24', now)).toBe(new Date(2026, 11, 25).getTime() - 1)
})
it('returns NaN while the date is missing', () => {
  expect(expiryOf('date', '', now)).toBeNaN()
})
