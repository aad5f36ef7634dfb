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
    taken: take,
    tried,
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('gives each key its number in any minute, and says when the next is free', () => {
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

test('what was given back can be taken again', () => {
  const { tried, taken } = scene(1)
  const giveBack = taken('ada')
  expect(tried('ada')).toContain(429)
  giveBack()
  giveBack()
  expect(tried('ada')).toBeUndefined()
  expect(tried('ada')).toContain(429)
})

test('remembers ten thousand keys and no more, the latest of them', () => {
  const { tried } = scene(1)
  for (let key = 0; key <= 10_000; key++) tried(`k${key}`)
  expect(tried('k10000')).toContain(429)
  expect(tried('k1')).toContain(429)
  expect(tried('k0')).toBeUndefined()
})
