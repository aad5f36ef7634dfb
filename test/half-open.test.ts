import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../src/platform/db/postgres/open.ts'
import type { Limits } from '../src/platform/db/postgres/pool.ts'
import { minutes } from '../src/shared/time.ts'
import { tcpProxy } from './faults/proxy.ts'
import { freshDatabase } from './support/database/databases.ts'
import { occupyConnections, openConnections } from './support/database/occupy.ts'
import { fakeWeb } from './support/fakes/fake-web.ts'
import { toolbox } from './support/toolbox.ts'

const quick = { connect: 5_000, statement: 2_000, answer: 2_000, close: 300 }
const size = 10

/** The whole server with short timeouts, a proxy in front of its database, and one Keep Alive entry. */
async function scene(limits: Limits = quick) {
  const { url = '', db, drop } = await freshDatabase('postgres')
  const proxy = await tcpProxy({ port: Number(new URL(url).port) })
  const proxied = openPostgres(proxy.through(url), { size, limits })
  const close = async () => {
    await proxied.close()
    await drop()
    await proxy.close()
  }
  const box = await toolbox('postgres', {}, undefined, { database: { db: proxied, url, drop: close } })
  const web = await fakeWeb()
  web.on('/', { body: 'hello' })
  onTestFinished(async () => {
    await box.close()
    await web.close()
  })
  const ada = box.as(await box.createPerson('ada'))
  const { id } = (await ada.post('/api/v1/keepalive/', { url: web.origin })).body
  const runs = async () => (await ada.get(`/api/v1/keepalive?id=${id}`)).body.history?.length
  await expect.poll(async () => (await box.work.runDue()) + (await runs())).toBe(1)
  await openConnections(proxied, size)
  return { box, db, proxied, proxy, ada, runs }
}

test('recovers automatically from half-open connections and keeps every acknowledged write', async () => {
  const { box, db, proxy, ada, runs } = await scene()
  const numbers: number[] = []
  let failed = 0
  const view = async () => {
    const { statusCode, headers } = await box.app.inject('/api/v1/analyticsbadge/demo')
    if (statusCode === 200) numbers.push(Number(headers['x-views']))
    else failed += 1
    return statusCode
  }
  const read = async () => (await ada.get('/api/v1/keepalive/list')).status
  expect(await view()).toBe(200)

  proxy.freeze(size / 2)
  box.pass(minutes(30))
  const working = expect.poll(() => box.work.runDue().then(runs, () => 0)).toBe(2)
  const allStatuses: number[] = []
  // The server counts as recovered after 40 rounds in a row without a refusal.
  for (let inRow = 0; inRow < 40; ) {
    const statuses = await Promise.all([view(), view(), read(), read(), read()])
    allStatuses.push(...statuses)
    inRow = statuses.every((status) => status === 200) ? inRow + 1 : 0
    await pause(5)
  }
  await working
  // Refusals are optional: the first query on a silent connection may spare all others.
  expect(allStatuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect(new Set(numbers).size).toBe(numbers.length)
  const { camo, other } = await db.q.selectFrom('badge').select(['camo', 'other']).executeTakeFirstOrThrow()
  expect(camo + other).toBeGreaterThanOrEqual(numbers.length)
  expect(camo + other).toBeLessThanOrEqual(numbers.length + failed)
  expect(await runs()).toBe(2)
})

test('calls get a clear error while all connections stay in use, and succeed again afterwards', async () => {
  const { ada, box, proxied } = await scene({ ...quick, statement: 10_000, answer: 10_000 })
  const { free } = await occupyConnections(proxied, size)
  const { status, body } = await ada.get('/api/v1/keepalive/list')
  expect([status, body]).toEqual([503, { error: "The database isn't answering. Try again in a moment." }])
  await free()
  expect((await ada.get('/api/v1/keepalive/list')).status).toBe(200)
  expect((await box.app.inject('/api/v1/analyticsbadge/demo')).headers['x-views']).toBe('1')
})
