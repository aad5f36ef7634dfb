import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { freshPostgres } from '../../../test/fresh-postgres.ts'
import type { LiveEvent } from './events.ts'
import { createEvents } from './live-events.ts'
import { batches } from './postgres-events.ts'
import { testConfig, testServer } from './test-server.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function twoInstances() {
  const { url, drop } = await freshPostgres()
  closers.push(drop)
  const { log } = await testServer()
  const instance = async () => {
    const events = createEvents({ config: { ...testConfig, databaseUrl: url }, log })
    const heard: LiveEvent[] = []
    events.hear((event) => heard.push(event))
    closers.push(events.close)
    return { ...events, heard }
  }
  const [one, two] = [await instance(), await instance()]
  const say = (data: unknown) => one.publish([{ type: 'run', to: { everyone: true }, data }])
  await vi.waitFor(() => {
    say('ready?')
    expect(two.heard.length).toBeGreaterThan(0)
  }, 10_000)
  one.heard.length = 0
  return { url, one, two, say }
}
const isLast = (heard: LiveEvent[], data: unknown) => expect(heard.at(-1)?.data).toEqual(data)

test('an event reaches the other instances, and its own instance once', async () => {
  const { one, two, say } = await twoInstances()
  say({ n: 7 })
  await vi.waitFor(() => isLast(two.heard, { n: 7 }))
  expect(one.heard.map(({ data }) => data)).toEqual([{ n: 7 }])
})

test('a great many events arrive in order', async () => {
  const { one, two } = await twoInstances()
  const events = Array.from(
    { length: 500 },
    (_, n): LiveEvent => ({ type: 'run', to: { userId: 'u' }, data: { n, note: 'ä'.repeat(40) } }),
  )
  one.publish(events)
  await vi.waitFor(() => isLast(two.heard, events.at(-1)?.data))
  expect(two.heard.slice(-500)).toEqual(events)
})

test('a connection that breaks is made again', async () => {
  const { url, two, say } = await twoInstances()
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  )
  await admin.end()
  await vi.waitFor(
    () => {
      say('again')
      isLast(two.heard, 'again')
    },
    { timeout: 15_000, interval: 200 },
  )
})

test('no payload is larger than PostgreSQL takes, and what could never fit is left out', () => {
  const event = (length: number): LiveEvent => ({ type: 'entry', to: {}, data: 'ü'.repeat(length) })
  const left: LiveEvent[] = []
  const payloads = batches('me', [event(2_000), event(2_000), event(5_000), event(10)], (one) => left.push(one))
  expect(payloads.every((one) => Buffer.byteLength(one) < 8_000)).toBe(true)
  expect(payloads.map((one) => JSON.parse(one).events.length)).toEqual([1, 2])
  expect(left).toEqual([event(5_000)])
})
