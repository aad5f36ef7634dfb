import { afterAll, beforeEach, expect, test } from 'vitest'
import { fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { testOutbound as clientOf, describeAnswer } from '../../../test/support/outbound-client.ts'
import { redirectPublicAddresses } from '../../../test/support/public-addresses.ts'
import { minutes, seconds } from '../../shared/time.ts'

redirectPublicAddresses()

const web = await fakeWeb()
web.on('/hang', 'hang')
afterAll(() => web.close())

beforeEach(() => {
  web.visits.length = 0
})

const timeout = minutes(1)
/** A client that resolves every host to 8.8.8.8, unless its name contains another address: `a-8-8-8-9.test`. */
function scene() {
  const resolve = async (host: string) => [/\d+(-\d+){3}/.exec(host)?.[0].replaceAll('-', '.') ?? '8.8.8.8']
  const client = clientOf({ resolve })
  const visit = (ownerId: string, host: string, path = '/', more = {}) =>
    client.request(`http://${host}:${web.port}${path}`, { visitor: { ownerId }, timeout, redirects: 5, ...more })
  return { client, visit }
}

test('an owner’s third concurrent visit to an address is busy under any name; other owners can visit it', async () => {
  const { client, visit } = scene()
  const hanging = ['a.test', 'b.test'].map((host) => visit('eve', host, '/hang'))
  await expect.poll(() => web.connections()).toBe(2)
  const crowded = await visit('eve', 'c.test')
  expect(crowded).toMatchObject({ failure: 'busy', wait: expect.any(Number) })
  expect(await describeAnswer(visit('eve', 'd-8-8-8-9.test'))).toBe('answered 200')
  expect(await describeAnswer(visit('ada', 'c.test'))).toBe('answered 200')
  await client.close()
  expect(await Promise.all(hanging.map(describeAnswer))).toEqual(Array(2).fill('internal | internal: stopped'))
})

test('at most two visits to an address begin per second, redirects included', async () => {
  const { visit } = scene()
  const began = performance.now()
  const answer = await visit('eve', 'a.test', '/redirect/4')
  expect(performance.now() - began).toBeGreaterThan(seconds(1.9))
  expect(answer).toMatchObject({ answered: true, status: 200 })
})

test('another address of a name is tried only if a permit for it is free', async () => {
  const client = clientOf({ resolve: async (host) => (host === 'two.test' ? ['127.9.9.9', '8.8.8.8'] : ['8.8.8.8']) })
  const visit = (host: string, path = '/') =>
    client.request(`http://${host}:${web.port}${path}`, { visitor: { ownerId: 'eve' }, timeout })
  expect(await describeAnswer(visit('two.test'))).toBe('answered 200')
  for (const host of ['a.test', 'b.test']) void visit(host, '/hang')
  await expect.poll(() => web.connections()).toBe(2)
  expect(await describeAnswer(visit('two.test'))).toBe('connect | connect: refused')
  await client.close()
})

test('a visit that hangs after a redirect counts for the address where it hangs', async () => {
  const { client, visit } = scene()
  const to = `http://victim.test:${web.port}/hang`
  for (const last of [1, 2]) void visit('eve', `a-8-8-8-1${last}.test`, `/to?url=${to}`)
  await expect.poll(() => web.visits.filter(({ path }) => path === '/hang').length).toBe(2)
  expect(await visit('eve', 'c.test')).toMatchObject({ failure: 'busy' })
  expect(await describeAnswer(visit('eve', 'd-8-8-8-13.test'))).toBe('answered 200')
  await client.close()
})

test('a visit frees its permit however it ends', async () => {
  const { visit } = scene()
  for (const path of ['/reset', '/garbage', '/hang', '/404']) {
    await visit('eve', 'a.test', path, { timeout: 100 })
    await visit('eve', 'a.test', path, { timeout: 100 })
    expect(await describeAnswer(visit('eve', 'a.test', '/'))).toBe('answered 200')
  }
})

test('the operator’s ranges have no rate limit, but all owners share two concurrent visits', async () => {
  const client = clientOf({ resolve: async () => ['127.0.0.1'] })
  let atOnce = 0
  let mostAtOnce = 0
  web.on('/slow', async (_visit, response) => {
    atOnce += 1
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    await new Promise((resolve) => setTimeout(resolve, 20))
    atOnce -= 1
    response.end()
  })
  const visits = Array.from({ length: 20 }, (_, n) =>
    client.request(`http://app.internal:${web.port}/slow`, { visitor: { ownerId: `owner ${n % 4}` }, timeout }),
  )
  expect(await Promise.all(visits.map(describeAnswer))).toEqual(Array(20).fill('answered 200'))
  expect(mostAtOnce).toBe(2)
})
