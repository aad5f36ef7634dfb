import { beforeEach, expect, test } from 'vitest'
import { seconds } from '../../../shared/time.ts'
import { type DiscordRateLimiter, discordRateLimiter } from './rate-limit.ts'

let at = 0
let discord: DiscordRateLimiter
beforeEach(() => {
  at = 1_000_000
  discord = discordRateLimiter(() => at)
})

test('forty calls leave at once, the others one by one after a second', () => {
  const waits = Array.from({ length: 43 }, (_, i) => discord.tryAcquire(`hook ${i}`))
  expect(waits.slice(0, 40)).toEqual(Array(40).fill(0))
  expect(waits.slice(40)).toEqual([1_025, 1_050, 1_075])
  at += 1_025
  expect(discord.tryAcquire('hook 40')).toBe(0)
})

test('no second ever has more than forty calls, however often is asked', () => {
  const calls: number[] = []
  for (let i = 0; i < 4_000; i++) {
    if (discord.tryAcquire(`hook ${i % 60}`) === 0) calls.push(at)
    at += 3
  }
  const most = Math.max(...calls.map((from) => calls.filter((call) => call >= from && call < from + seconds(1)).length))
  expect(most).toBe(40)
})

test("a paused webhook waits alone; everything waits under Discord's global limit", () => {
  discord.pause('one', 500)
  discord.pause('one', 100)
  expect([discord.tryAcquire('one'), discord.tryAcquire('two')]).toEqual([500, 0])
  discord.pauseAll(300)
  expect(discord.isPaused()).toBe(true)
  expect([discord.tryAcquire('one'), discord.tryAcquire('two')]).toEqual([500, 300])
  at += 300
  expect(discord.isPaused()).toBe(false)
  expect([discord.tryAcquire('one'), discord.tryAcquire('two')]).toEqual([200, 0])
})
