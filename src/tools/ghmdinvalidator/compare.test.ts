import { expect, test } from 'vitest'
import { toolbox } from '../../../test/support/toolbox.ts'
import { comparer, describeCacheLifetime, describeCachingBan, describeOwnCache, formatDuration } from './compare.ts'
import { maxStored } from './copy.ts'

const png = (text: string) => {
  const head = [...Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 0, 0, 0, 1, 0, 0, 0, 1]
  return Buffer.concat([Buffer.from(head), Buffer.from(text), Buffer.alloc(100_000)])
}

test('compares every image of a large page, but keeps only a limited amount of pictures in memory', async () => {
  const box = await toolbox('sqlite')
  const request = async (url: string) => ({
    ...{ answered: true as const, status: 200, url, duration: 0 },
    headers: { 'content-type': 'image/png', age: '0', 'x-cache': 'x'.repeat(100_000), 'x-more': 'x'.repeat(100_000) },
    body: png(url.endsWith('same') ? 'same' : url),
  })
  const context = { ...box.context, outbound: { ...box.context.outbound, request } }
  const { compare } = comparer(context, { visitor: { ownerId: 'ada' }, until: Number.POSITIVE_INFINITY })
  const image = (name: string) => ({ camo: `http://camo.example/${name}`, origin: `http://img.example/${name}` })
  const comparisons = []
  for (let n = 0; n < 40; n += 1) comparisons.push(await compare(image(`${n}`)), await compare(image('same')))
  expect(comparisons.map(({ state }) => state)).toEqual(Array.from({ length: 40 }, () => ['stale', 'current']).flat())
  const held = new Set(comparisons.flatMap(({ origin, github }) => [origin?.display, github?.display]))
  const characters = [...held].reduce((sum, picture) => sum + (picture?.bytes.length ?? 0), 0)
  expect(characters).toBeGreaterThan(maxStored)
  expect(characters).toBeLessThan(2 * maxStored)
  expect(comparisons[0]?.origin?.headers).toEqual({ 'content-type': 'image/png', age: '0' })
  await box.close()
})

const now = Date.UTC(2026, 0, 5, 12)

test.each([
  [{ 'cache-control': 'public, no-store' }, 'no-store'],
  [{ 'cache-control': 'No-Cache, max-age=60' }, 'no-cache'],
  [{ 'cache-control': 'private' }, 'private'],
  [{ 'cache-control': 'max-age=0' }, 'max-age=0'],
  [{ 'cache-control': 'max-age=300, s-maxage=0' }, 's-maxage=0'],
  [{ 'cache-control': 'max-age=0, s-maxage="300"' }, undefined],
  [{ 'cache-control': 'max-age=60' }, undefined],
  [{ pragma: 'no-cache' }, 'Pragma: no-cache'],
  [{ expires: '0' }, 'Expires: 0'],
  [{ expires: 'Mon, 05 Jan 2026 11:00:00 GMT' }, 'Expires: Mon, 05 Jan 2026 11:00:00 GMT'],
  [{ expires: 'Mon, 05 Jan 2026 13:00:00 GMT' }, undefined],
  [{ 'cache-control': 'max-age=60', expires: '0' }, undefined],
  [{}, undefined],
])('%o forbids caching an image by %s', (headers, why) => {
  expect(describeCachingBan(headers, now)).toBe(why)
})

test.each([
  [{ 'cache-control': 'public, max-age=86400' }, 'lets caches keep it for 24 hours (max-age=86400)'],
  [{ 'cache-control': 'max-age=60, s-maxage=604800' }, 'lets caches keep it for 7 days (s-maxage=604800)'],
  [{ expires: 'Mon, 05 Jan 2026 12:05:00 GMT' }, 'lets caches keep it for 5 minutes (Expires)'],
  [{ 'cache-control': 'max-age=soon' }, undefined],
  [{}, undefined],
])('the cache lifetime of %o is %s', (headers, words) => {
  expect(describeCacheLifetime(headers, now)).toBe(words)
})

test.each([
  [{ age: '7200' }, 'answers from its own cache, 2 hours old (Age: 7200)'],
  [{ 'cf-cache-status': 'HIT', age: '0' }, 'answers from its own cache (cf-cache-status: HIT)'],
  [{ 'x-cache': 'MISS, HIT' }, 'answers from its own cache (x-cache: MISS, HIT)'],
  [{ 'x-cache': 'Miss from cloudfront' }, undefined],
  [{ age: '-1' }, undefined],
])('the cache of the server that sends %o is %s', (headers, words) => {
  expect(describeOwnCache(headers)).toBe(words)
})

test.each([
  [1, '1 second'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [86_400, '24 hours'],
  [172_800, '2 days'],
])('formats %i seconds as %s', (count, words) => {
  expect(formatDuration(count)).toBe(words)
})
