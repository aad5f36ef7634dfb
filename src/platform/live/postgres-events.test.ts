import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { tcpProxy } from '../../../test/faults/proxy.ts'
import { connectUnprivileged, freshPostgres } from '../../../test/support/database/fresh-postgres.ts'
import { testServer } from '../../../test/support/scenes/test-server.ts'
import { openPostgres } from '../db/postgres/open.ts'
import { createHealth } from '../health.ts'
import { createMetrics } from '../metrics.ts'
import { eventsMissed, type LiveEvent } from './events.ts'
import { batches, createEvents } from './live-events.ts'

const patient = { beat: 50, timeout: 60_000, pause: 50, close: 60_000 }
/** For connections that fall silent. */
const quick = { ...patient, timeout: 1_000, close: 300 }
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Two instances on one database, the second behind a proxy if `proxied`. */
async function twoInstances({ proxied = false } = {}) {
  const { url, drop } = await freshPostgres()
  closers.push(drop)
  const proxy = await tcpProxy({ port: Number(new URL(url).port) })
  closers.push(proxy.close)
  const { lines, ...server } = await testServer()
  let elapsed = 0
  const health = createHealth(() => elapsed)
  const instance = async (databaseUrl: string) => {
    const db = openPostgres(databaseUrl)
    closers.push(db.close)
    const { log, secrets } = server
    const metrics = createMetrics()
    const timing = proxied ? quick : patient
    const events = createEvents({ db, log, secrets, metrics, health, elapsed: () => performance.now() }, timing)
    const received: LiveEvent[] = []
    let gaps = 0
    events.subscribe((event) => {
      if (event.type === 'missed') gaps += 1
      else received.push(event)
    })
    closers.push(events.close)
    const dropped = async () => (await metrics.foreignMessages.get()).values[0]?.value ?? 0
    return { ...events, received, gaps: () => gaps, dropped }
  }
  const [one, two] = [await instance(url), await instance(proxied ? proxy.through(url) : url)]
  const say = (data: unknown) => one.publish([{ type: 'run', to: { everyone: true }, data }])
  const sayAndCount = () => {
    say('ready?')
    return two.received.length
  }
  await expect.poll(sayAndCount).toBeGreaterThan(0)
  one.received.length = 0
  /** The part that is stalled after this time without a response. */
  const standstill = (span = 15_000) => {
    elapsed += span
    return health.stalledActivity()
  }
  return { url, one, two, say, proxy, lines, standstill, instance }
}
/** Another database user, who may only connect, and the payloads that user receives. */
async function neighbourOf(url: string) {
  const { client, disconnect } = await connectUnprivileged(url)
  closers.push(disconnect)
  const overheard: string[] = []
  client.on('notification', ({ payload = '' }) => overheard.push(payload))
  await client.query('listen toolbox_events')
  const notify = (payload: string) => client.query('select pg_notify($1, $2)', ['toolbox_events', payload])
  return { client, overheard, notify }
}
const lastOf = (events: LiveEvent[]) => events.at(-1)?.data

test('an event reaches the other instances, and its own instance once', async () => {
  const { one, two, say } = await twoInstances()
  say({ n: 7 })
  await expect.poll(() => lastOf(two.received)).toEqual({ n: 7 })
  expect(one.received.map(({ data }) => data)).toEqual([{ n: 7 }])
})

test('many events arrive in order', async () => {
  const { one, two } = await twoInstances()
  const events = Array.from(
    { length: 500 },
    (_, n): LiveEvent => ({ type: 'run', to: { userId: 'u' }, data: { n, note: 'ä'.repeat(40) } }),
  )
  one.publish(events)
  await expect.poll(() => lastOf(two.received)).toEqual(events.at(-1)?.data)
  expect(two.received.slice(-500)).toEqual(events)
})

test('more events at once than are kept, or one too large to send, are reported as missed', async () => {
  const { one, two, say } = await twoInstances()
  const events = Array.from({ length: 1_001 }, (_, n): LiveEvent => ({ type: 'run', to: { userId: 'u' }, data: n }))
  one.publish(events)
  await expect.poll(() => lastOf(two.received)).toBe(1_000)
  expect(two.gaps()).toBe(2)
  say('ä'.repeat(5_000))
  say('after')
  await expect.poll(() => lastOf(two.received)).toBe('after')
  expect(two.gaps()).toBe(3)
})

test('reconnects after its connection breaks, and reports that events may have been missed', async () => {
  const { url, two, say } = await twoInstances()
  expect(two.gaps()).toBe(1)
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  )
  await admin.end()
  const last = () => {
    say('again')
    return lastOf(two.received)
  }
  await expect.poll(last, { interval: 200 }).toBe('again')
  expect(two.gaps()).toBe(2)
})

test.each(['listen', 'select'])(
  'reconnects after its connection breaks together with the response to %s',
  async (last) => {
    // https://www.postgresql.org/docs/current/protocol-message-formats.html
    const message = (type: string, body: Buffer) => {
      const head = Buffer.from(`${type}....`)
      head.writeInt32BE(body.length + 4, 1)
      return Buffer.concat([head, body])
    }
    const ready = message('Z', Buffer.from('I'))
    const done = Buffer.concat([message('C', Buffer.from('SELECT 1\0')), ready])
    const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'))
    let connections = 0
    const postgres = createServer((socket) => {
      connections += 1
      socket.on('error', () => {})
      socket.once('data', () => socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready])))
      socket.on('data', (request) => {
        if (request.includes(last)) socket.end(Buffer.concat([done, ended]))
        else if (request.includes('listen')) socket.write(done)
      })
    })
    await once(postgres.listen(0, '127.0.0.1'), 'listening')
    const { port } = postgres.address() as AddressInfo
    const server = await testServer()
    const newClient = () => new pg.Client({ host: '127.0.0.1', port, user: 'toolbox' })
    const events = createEvents({ ...server, db: { newClient }, elapsed: () => performance.now() }, quick)
    closers.push(async () => postgres.close(), events.close)
    await expect.poll(() => connections).toBeGreaterThan(2)
  },
)

describe('another database user who may only connect', () => {
  test('cannot read the messages between instances', async () => {
    const { url, two, say } = await twoInstances()
    const { overheard } = await neighbourOf(url)
    say('a secret')
    await expect.poll(() => lastOf(two.received)).toBe('a secret')
    await expect.poll(() => overheard.length).toBeGreaterThan(0)
    for (const payload of overheard) {
      expect(payload).not.toContain('secret')
      expect(Buffer.from(payload, 'base64url').toString('latin1')).not.toContain('secret')
    }
  })

  test('can neither send nor replay messages, and their attempts are counted', async () => {
    const { url, one, two, say, lines } = await twoInstances()
    const { overheard, notify } = await neighbourOf(url)
    say('said once')
    await expect.poll(() => overheard.length).toBeGreaterThan(0)
    await expect.poll(() => lastOf(two.received)).toBe('said once')
    const event: LiveEvent = { type: 'notification', to: { everyone: true }, data: { message: 'Sign in here' } }
    const puzzles = ['no JSON', '', 'null', JSON.stringify({ from: 'x', events: [event] }), `v1.${'A'.repeat(80)}`]
    const before = two.received.length
    for (const payload of [...puzzles, overheard[0]!]) await notify(payload)
    await expect.poll(() => Promise.all([one.dropped(), two.dropped()])).toEqual([6, 6])
    expect(two.received).toHaveLength(before)
    say('after')
    await expect.poll(() => lastOf(two.received)).toBe('after')
    expect(two.received.map(({ data }) => data)).not.toContainEqual(event.data)
    expect(lines.every((line) => line.includes('Dropped a message between instances'))).toBe(true)
  })

  test('cannot replay messages from before an instance listened to it', async () => {
    const { url, one, two, say, instance } = await twoInstances()
    const { client, overheard, notify } = await neighbourOf(url)
    say('before')
    await expect.poll(() => lastOf(two.received)).toBe('before')
    // The response arrives after all earlier notifications.
    await client.query('select 1')
    const late = await instance(url)
    await expect.poll(late.gaps).toBe(1)
    for (const payload of [...overheard]) await notify(payload)
    one.publish([{ type: 'run', to: {}, data: 'after' }])
    await expect.poll(() => late.received.map(({ data }) => data)).toEqual(['after'])
  })
})

test('detects and replaces a half-open connection without losing events to be sent', async () => {
  const { one, two, say, proxy, lines, standstill } = await twoInstances({ proxied: true })
  await expect.poll(() => standstill()).toBeUndefined()
  proxy.freeze()
  two.publish([{ type: 'run', to: {}, data: 'said meanwhile' }])
  await expect.poll(() => lines.length).toBe(1)
  expect(lines[0]).toContain('Live events of other instances are interrupted')
  expect(standstill()).toBe('events')
  await proxy.heal()
  await expect.poll(() => one.received.map(({ data }) => data)).toContain('said meanwhile')
  await expect
    .poll(() => {
      say('again')
      return two.received.at(-1)?.data
    })
    .toBe('again')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('Live events of other instances arrive again')
  await expect.poll(() => standstill()).toBeUndefined()
})

test('closes a half-open connection in time', async () => {
  const { two, proxy } = await twoInstances({ proxied: true })
  proxy.freeze()
  await two.close()
})

test('events published just before closing still arrive', async () => {
  const { one, two } = await twoInstances()
  two.publish([{ type: 'run', to: {}, data: 'last' }])
  await two.close()
  await expect.poll(() => one.received.at(-1)?.data).toBe('last')
})

test('no message exceeds the limit of PostgreSQL, and `missed` replaces an event that could never fit', async () => {
  const event = (length: number): LiveEvent => ({ type: 'entry', to: {}, data: 'ü'.repeat(length) })
  const oversized: LiveEvent[] = []
  const full = batches([event(2_000), event(1_500), event(2_880), event(5_000), event(10)], (one) =>
    oversized.push(one),
  )
  expect(full.map((events) => events.length)).toEqual([1, 1, 1, 2])
  expect(full.at(-1)).toEqual([eventsMissed, event(10)])
  expect(oversized).toEqual([event(5_000)])
  const { secrets } = await testServer()
  const envelope = { from: randomUUID(), after: 2 ** 53, number: 2 ** 53 }
  for (const events of full)
    expect(Buffer.byteLength(secrets.messages.seal(JSON.stringify({ ...envelope, events })))).toBeLessThan(8_000)
})
