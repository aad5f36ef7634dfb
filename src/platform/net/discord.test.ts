import { beforeEach, expect, test } from 'vitest'
import { minutes, seconds } from '../../shared/time.ts'
import { callWebhook, type DiscordLimits, discordLimits } from './discord.ts'

let at = 0
let discord: DiscordLimits
beforeEach(() => {
  at = 1_000_000
  discord = discordLimits(() => at)
})

test('forty calls may start immediately, and later ones one by one after a second', () => {
  const waits = Array.from({ length: 43 }, (_, i) => discord.tryAcquire(`hook ${i}`))
  expect(waits.slice(0, 40)).toEqual(Array(40).fill(0))
  expect(waits.slice(40)).toEqual([1_025, 1_050, 1_075])
  at += 1_025
  expect(discord.tryAcquire('hook 40')).toBe(0)
})

test('no second has more than forty calls, however often callers try', () => {
  const calls: number[] = []
  for (let i = 0; i < 4_000; i++) {
    if (discord.tryAcquire(`hook ${i % 60}`) === 0) calls.push(at)
    at += 3
  }
  const most = Math.max(...calls.map((from) => calls.filter((call) => call >= from && call < from + seconds(1)).length))
  expect(most).toBe(40)
})

test("a webhook's own limit pauses only that webhook, and Discord's global limit pauses all of them", () => {
  const limited = (webhookId: string, wait: number, global = false) =>
    discord.applyLimits(webhookId, { status: 429, headers: {} }, { retry_after: wait, global })
  expect([limited('one', 0.5), limited('one', 0.1)]).toEqual([500, 100])
  expect([discord.tryAcquire('one'), discord.tryAcquire('two')]).toEqual([500, 0])
  expect(discord.tryAcquire('one', { isUrgent: true })).toBe(0)
  limited('two', 0.3, true)
  expect([discord.tryAcquire('one'), discord.tryAcquire('two')]).toEqual([500, 300])
  expect(discord.tryAcquire('one', { isUrgent: true })).toBe(300)
  at += 300
  expect([discord.tryAcquire('one'), discord.tryAcquire('two')]).toEqual([200, 0])
})

test.each([
  ['no JSON', 403, undefined],
  ['its own JSON', 403, { message: 'Sorry, you have been blocked' }],
  ['its code', 403, { message: 'internal network error', code: 40_333 }],
  ['no JSON and 429', 429, undefined],
])('a response from the firewall pauses all webhooks for ten minutes: %s', (_what, status, json) => {
  expect(discord.applyLimits('one', { status, headers: {} }, json)).toBe(minutes(10))
  expect([discord.tryAcquire('one'), discord.tryAcquire('two')]).toEqual([minutes(10), minutes(10)])
})

test("Discord's own refusal of one webhook pauses nothing", () => {
  const missing = { message: 'Missing Permissions', code: 50_013 }
  expect(discord.applyLimits('one', { status: 403, headers: {} }, missing)).toBeUndefined()
  expect(discord.tryAcquire('two')).toBe(0)
})

test('a 429 for too many edits of one message pauses nothing', () => {
  expect(discord.applyLimits('one', { status: 429, headers: {} }, { code: 30_046 })).toBeUndefined()
  expect(discord.tryAcquire('one')).toBe(0)
})

test('during a global limit, calls to any webhook fail as busy without reaching Discord', async () => {
  const urls: string[] = []
  const limited = Buffer.from('{"retry_after":2,"global":true}')
  const context = {
    config: { discordUrl: 'https://discord.example', baseUrl: 'https://box.example' },
    elapsed: () => at,
    outbound: {
      request: async (url: string) => {
        urls.push(url)
        return { answered: true as const, status: 429, headers: {}, body: limited, url, duration: 1 }
      },
    },
  }
  const hook = { id: '1', token: 'secret', threadId: '7' }
  expect(await callWebhook(context, hook, { body: {} })).toMatchObject({ status: 429, wait: 2_000 })
  at += 500
  const busy = { answered: false, failure: 'busy', wait: 1_500 }
  expect(await callWebhook(context, { ...hook, id: '2' }, { body: {} })).toMatchObject(busy)
  expect(urls).toEqual(['https://discord.example/api/v10/webhooks/1/secret?wait=true&thread_id=7'])
})
