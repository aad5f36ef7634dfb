import { describe, expect, test } from 'vitest'
import type { OutboundAnswer, OutboundRequest } from '../../../platform/net/outbound.ts'
import { minutes, seconds } from '../../../shared/time.ts'
import { type Attempt, purge, purgeAll, shareAttempt } from './purge.ts'

const camo = 'https://camo.githubusercontent.com/aa/bb'

/** A fake network that returns these answers in order, and a record of its requests. */
function network(...answers: OutboundAnswer[]) {
  const requests: [string, OutboundRequest][] = []
  const request = async (url: string, options: OutboundRequest) => {
    requests.push([url, options])
    return answers.shift() ?? Promise.reject(new Error('Nobody expected another request.'))
  }
  return { context: { outbound: { request }, now: () => 0 }, requests }
}
const answer = (status: number, headers: Record<string, string> = {}, body = '{"status":"ok","id":"1"}') =>
  ({ answered: true, status, headers, body: new TextEncoder().encode(body), url: camo, duration: 1 }) as const

describe('a purge', () => {
  test('is a PURGE request with a timeout of 10 s that follows no redirect', async () => {
    const { context, requests } = network(answer(200))
    expect(await purge(camo, context)).toEqual({ outcome: 'purged' })
    expect(requests).toEqual([[camo, { method: 'PURGE', timeout: seconds(10), maxBytes: 10_000 }]])
    expect(requests[0]?.[1].redirects).toBeUndefined()
  })

  test('that times out fails and is not retried', async () => {
    const slow = { answered: false, failure: 'timeout', note: 'timeout after 10 s', duration: 10_000 } as const
    const { context, requests } = network(slow)
    expect(await purge(camo, context)).toEqual({ outcome: 'failed', note: 'timeout after 10 s' })
    expect(requests).toHaveLength(1)
  })

  test.each([
    [500, 2],
    [502, 2],
    [429, 2],
    [400, 1],
    [404, 1],
    [301, 1],
  ])('that is answered with %i is attempted %i times in total', async (status, times) => {
    const replies = [answer(status, { 'retry-after': '0' }), answer(status, { 'retry-after': '0' })]
    const { context, requests } = network(...replies)
    expect(await purge(camo, context)).toMatchObject({ outcome: 'failed', note: `answered ${status}` })
    expect(requests).toHaveLength(times)
  })

  test('reports the requested wait if the second attempt is asked to wait too long', async () => {
    const { context } = network(answer(503, { 'retry-after': '0' }), answer(429, { 'retry-after': '90' }))
    expect(await purge(camo, context)).toEqual({
      outcome: 'failed',
      note: 'answered 429, asks to wait 90 s',
      wait: seconds(90),
    })
  })
})

describe('many purges', () => {
  const found = Array.from({ length: 10 }, (_, index) => ({ camo: `${camo}${index}`, origin: `http://a/${index}` }))

  test('leave the rest for the next run after five minutes', async () => {
    let now = 0
    const tried: boolean[] = []
    const { images } = await purgeAll(found, { elapsed: () => now }, async (_camo, mayTry): Promise<Attempt> => {
      tried.push(mayTry)
      now += minutes(1)
      return { outcome: 'purged' }
    })
    expect(images).toHaveLength(10)
    expect(tried.filter(Boolean).length).toBeLessThan(10)
    expect(tried[0]).toBe(true)
    expect(tried.at(-1)).toBe(false)
  })

  test('keep the order of the page and report its first failure', async () => {
    const { images, first } = await purgeAll(found, { elapsed: () => 0 }, async (one): Promise<Attempt> => {
      const index = Number(one.camo.slice(camo.length))
      await new Promise((resolve) => setTimeout(resolve, index % 4 === 0 ? 20 : 1))
      return index === 0 || index === 7 ? { outcome: 'failed', note: `no ${index}` } : { outcome: 'purged' }
    })
    expect(images.map(({ origin }) => origin)).toEqual(found.map(({ origin }) => origin))
    expect(first).toEqual({ origin: 'http://a/0', note: 'no 0' })
    expect(images[0]).toEqual({ camo: `${camo}0`, origin: 'http://a/0', outcome: 'failed', note: 'no 0' })
  })

  test('of one image at the same time share a single attempt', async () => {
    let count = 0
    const attempt = async (): Promise<Attempt> => {
      count += 1
      return count === 1 ? { outcome: 'purged' } : { outcome: 'failed', note: 'no' }
    }
    const together = await Promise.all([shareAttempt(camo, attempt), shareAttempt(camo, attempt)])
    expect(together).toEqual([{ outcome: 'purged' }, { outcome: 'fresh' }])
    const later = await Promise.all([shareAttempt(camo, attempt), shareAttempt(camo, attempt)])
    expect(later).toEqual(Array(2).fill({ outcome: 'failed', note: 'no' }))
    expect(count).toBe(2)
  })
})
