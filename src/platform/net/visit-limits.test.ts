import { expect, test } from 'vitest'
import { HttpError } from '../../shared/http-error.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { rateLimiter } from './visit-limits.ts'

function scene(most: number) {
  let now = 0
  const take = rateLimiter(() => now, { most, per: minutes(1), refusal: 'Too many.' })
  const tried = (key: string) => {
    try {
      take(key)
      return undefined
    } catch (error) {
      return error instanceof HttpError ? [error.status, error.message, error.retryAfter] : error
    }
  }
  return {
    take,
    tried,
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('allows each key its limit in any minute, and reports when the next one is free', () => {
  const { tried, pass } = scene(2)
  expect(tried('ada')).toBeUndefined()
  pass(seconds(40))
  expect(tried('ada')).toBeUndefined()
  expect(tried('ada')).toEqual([429, 'Too many. Try again in 20 seconds.', 20])
  expect(tried('eve')).toBeUndefined()
  pass(seconds(19.5))
  expect(tried('ada')).toEqual([429, 'Too many. Try again in a second.', 1])
  pass(seconds(0.5))
  expect(tried('ada')).toBeUndefined()
  expect(tried('ada')).toEqual([429, 'Too many. Try again in 40 seconds.', 40])
})

test('giving one back, even twice, allows exactly one more', () => {
  const { tried, take } = scene(1)
  const giveBack = take('ada')
  expect(tried('ada')).toContain(429)
  giveBack()
  giveBack()
  expect(tried('ada')).toBeUndefined()
  expect(tried('ada')).toContain(429)
})

test('remembers only the latest ten thousand keys', () => {
  const { tried } = scene(1)
  for (let key = 0; key <= 10_000; key++) tried(`k${key}`)
  expect(tried('k10000')).toContain(429)
  expect(tried('k1')).toContain(429)
  expect(tried('k0')).toBeUndefined()
})
