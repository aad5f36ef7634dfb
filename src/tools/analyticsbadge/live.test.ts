import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { viewCounter } from './counting/counter.ts'
import { tagWatch } from './live.ts'
import { badgePath, watchPath } from './terms.ts'

describe.each(bothDialects)('a screen that watches tags on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect, { TRUST_PROXY: '1' }))
  const url = await box.app.listen({ port: 0, host: '127.0.0.1' })

  async function watched(tags: string, from = '203.0.113.1') {
    const leaving = new AbortController()
    const headers = { 'x-forwarded-for': from }
    const answer = await fetch(`${url}${watchPath}?tags=${tags}`, { headers, signal: leaving.signal })
    const received: object[] = []
    const read = async () => {
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream()))
        for (const [, data] of chunk.matchAll(/^event: views\ndata: (.*)$/gm)) received.push(JSON.parse(data ?? ''))
    }
    const ended = read().catch(() => {})
    return {
      status: answer.status,
      received,
      disconnect: async () => {
        leaving.abort()
        await ended
      },
    }
  }

  test('receives all numbers first, then only changed ones, including changes by another instance', async () => {
    const { received, disconnect } = await watched('a,b,a')
    await expect.poll(() => received).toEqual([{ a: 0, b: 0 }])
    for (let view = 0; view < 3; view += 1) await fetch(`${url}${badgePath}a`)
    await fetch(`${url}${badgePath}other`)
    await expect.poll(() => received.at(-1)).toEqual({ a: 3 })
    if (dialect === 'postgres') {
      await viewCounter(box.db, { now: box.now, newTagsPerHour: 5 }).count('b', 'other')
      await expect.poll(() => received.at(-1)).toEqual({ b: 1 })
    }
    await disconnect()
  })

  test('is limited per network, by tags per screen and by tags of all screens', async () => {
    const mine = (n: number) => `2001:db8:1:2::${n}`
    const all = await Promise.all([1, 2, 3, 4].flatMap((n) => [watched('a'), watched('a', mine(n))]))
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    expect([(await watched('a')).status, (await watched('a', mine(5))).status]).toEqual([429, 429])
    await Promise.all(all.map(({ disconnect }) => disconnect()))
    await expect.poll(async () => (await watched('a')).status).toBe(200)
    const most = Array.from({ length: 50 }, (_, n) => `t${n}`).join(',')
    const wide = await Promise.all(Array.from({ length: 99 }, (_, n) => watched(most, `203.0.113.${n + 2}`)))
    expect(new Set(wide.map(({ status }) => status))).toEqual(new Set([200]))
    expect([(await watched(most)).status, (await watched('a')).status]).toEqual([429, 200])
    await Promise.all(wide.map(({ disconnect }) => disconnect()))
    for (const tags of ['', 'a-b', 'a,,b', Array.from({ length: 51 }, (_, n) => `t${n}`).join(',')])
      expect((await fetch(`${url}${watchPath}?tags=${tags}`)).status, tags).toBe(400)
  })
})

test('nothing is queried without watchers, and a failed query is retried', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let looks = 0
  const { watch } = tagWatch(async () => {
    looks += 1
    if (looks === 1) throw new Error('The database is away.')
    return new Map([['a', looks]])
  }, 1)
  await vi.advanceTimersByTimeAsync(20)
  expect(looks).toBe(0)
  const received: object[] = []
  const unwatch = watch(['a'], (figures) => received.push(figures))
  await vi.advanceTimersByTimeAsync(20)
  expect(received.length).toBeGreaterThan(2)
  unwatch()
  await vi.advanceTimersByTimeAsync(20)
  const before = looks
  await vi.advanceTimersByTimeAsync(20)
  expect(looks).toBe(before)
})
