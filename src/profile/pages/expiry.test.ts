import { expect, it } from 'vitest'
import { days } from '../../shared/time.ts'
import { expiryOf } from './expiry.ts'

const now = Date.UTC(2026, 10, 21, 12)

it('counts spans from now', () => {
  expect(expiryOf('month', '', now)).toBe(now + days(30))
  expect(expiryOf('quarter', '', now)).toBe(now + days(90))
  expect(expiryOf('year', '', now)).toBe(now + days(365))
})
it('has no end when there is to be none', () => {
  expect(expiryOf('never', '2026-12-24', now)).toBeNull()
})
it('lets a key live to the end of its last day where the browser is', () => {
  expect(expiryOf('date', '2026-12-24', now)).toBe(new Date(2026, 11, 25).getTime() - 1)
})
it('knows no instant while the date is missing', () => {
  expect(expiryOf('date', '', now)).toBeNaN()
})
