import { expect, test } from 'vitest'
import { describeCacheLifetime, describeCachingBan, describeOwnCache, formatDuration } from './compare.ts'

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
