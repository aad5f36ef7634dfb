import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pino } from 'pino'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { type FakeWeb, fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { toolbox } from '../../../test/support/toolbox.ts'
import { createWorker } from '../../app.ts'
import { createContext } from '../../context.ts'
import { minutes, seconds } from '../../shared/time.ts'

/** Opens a connection from this port, so that nothing listens there and no other program is assigned the port. */
async function occupied(localPort: number) {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const from = { localAddress: '127.0.0.1', localPort }
  const socket = connect({ host: '127.0.0.1', port: (other.address() as AddressInfo).port, ...from })
  await once(socket, 'connect')
  return () => {
    socket.destroy()
    other.close()
  }
}

/** A web server that can be stopped and started again on the same port. */
async function host() {
  let free: (() => void) | undefined
  let web: FakeWeb | undefined = await fakeWeb({ port: await freePort() })
  const { origin, port } = web
  let visits = 0
  const down = async () => {
    visits += web?.visits.length ?? 0
    await web?.close()
    if (web) free = await occupied(port)
    web = undefined
  }
  const up = async () => {
    free?.()
    free = undefined
    web ??= await fakeWeb({ port })
    web.on('/', { body: 'Hello.' })
  }
  return {
    origin,
    down,
    up,
    async end() {
      await down()
      free?.()
    },
    /** Makes it accept connections and reset them. */
    breakOff: () => web?.on('/', 'reset'),
    visits: () => visits + (web?.visits.length ?? 0),
  }
}
type Host = Awaited<ReturnType<typeof host>>

describe.each(dialects)('while the server’s own network is down, on %s', async (dialect) => {
  const lines: { msg: string; [field: string]: unknown }[] = []

  const operator = await host()
  const hosts = await Promise.all(Array.from({ length: 4 }, host))
  const at = operator.origin
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const env = { DISCORD_URL: at, GITHUB_URL: at, GITHUB_API_URL: at, GITHUB_CAMO_URL: at }
  const box = await toolbox(dialect, env, undefined, { log, probes: 'real' })
  const ada = box.as(await box.createPerson('ada'))
  const bob = box.as(await box.createPerson('bob'))
  afterAll(async () => {
    await box.close()
    await Promise.all([operator, ...hosts].map(({ end }) => end()))
  })
  afterEach(async () => {
    await Promise.all([operator, ...hosts].map(({ up }) => up()))
    await box.db.q.deleteFrom('entry').execute()
    // A response ends any outage, and after an hour all evidence is forgotten.
    box.context.offline.answered('127.0.0.1')
    box.pass(minutes(61))
    lines.length = 0
  })

  const keep = async (who: typeof ada, { origin }: Host, more: object = {}): Promise<string> =>
    (await who.post('/api/v1/keepalive/', { url: `${origin}/`, ...more })).body.id
  const read = async (who: typeof ada, id: string) => (await who.get(`/api/v1/keepalive?id=${id}`)).body
  const notes = async (who: typeof ada, id: string): Promise<(string | undefined)[]> =>
    (await read(who, id)).history.map(({ note }: { note?: string }) => note ?? 'fine')
  const work = async (ms: number) => {
    box.pass(ms)
    await box.work.runDue()
  }
  const all = (act: 'up' | 'down') => Promise.all([operator, ...hosts].map((one) => one[act]()))
  const refused = 'connect: refused'

  test('turns are postponed without a record and run once it is back, and the schedule stays the same', async () => {
    const [a, b] = [await keep(ada, hosts[0]!), await keep(bob, hosts[1]!)]
    const born = box.now()
    await work(0)
    await all('down')
    await work(minutes(28))
    for (let tries = 0; tries < 20; tries++) await work(seconds(30))
    expect(await notes(ada, a)).toEqual(['fine'])
    expect(await notes(bob, b)).toEqual(['fine'])
    expect((await read(ada, a)).stats).toMatchObject({ up: 1 })
    expect((await box.app.inject('/readyz')).statusCode).toBe(200)
    expect((await box.app.inject('/metrics')).body).toContain('toolbox_offline 1\n')
    await all('up')
    await work(seconds(11))
    await work(seconds(11))
    expect(await notes(ada, a)).toEqual(['fine', 'fine'])
    expect(await notes(bob, b)).toEqual(['fine', 'fine'])
    expect((await read(ada, a)).nextRunAt).toBe(born + minutes(56))
    expect(lines.map(({ level, msg }) => [level, msg.split(';')[0]])).toEqual([
      [40, 'No outside host can be reached'],
      [30, 'The network is back'],
    ])
    const metrics = (await box.app.inject('/metrics')).body
    expect(metrics).toContain('toolbox_offline 0\n')
  })

  test('few turns are tried and none is recorded, and all run immediately once it is back', async () => {
    await keep(ada, hosts[0]!)
    const ids = await Promise.all(Array.from({ length: 20 }, () => keep(bob, hosts[1]!)))
    await work(0)
    hosts[1]!.breakOff()
    await Promise.all([operator.down(), hosts[0]!.down()])
    await work(minutes(28))
    const before = hosts[1]!.visits()
    for (let tries = 0; tries < 6; tries++) await work(seconds(10))
    expect(hosts[1]!.visits() - before).toBeLessThanOrEqual(6)
    for (const id of ids) expect(await notes(bob, id)).toEqual(['fine'])
    await all('up')
    box.pass(seconds(5))
    const runs = async () => {
      await box.work.runDue()
      return box.db.q.selectFrom('run').select('at').where('at', '=', box.now()).execute()
    }
    await expect.poll(runs).toHaveLength(21)
  })

  test('a postponed turn keeps its second attempt', async () => {
    const [a] = [await keep(ada, hosts[0]!), await keep(bob, hosts[1]!)]
    await work(0)
    await all('down')
    await work(minutes(28))
    await work(seconds(10))
    await work(seconds(30))
    await Promise.all([operator.up(), hosts[1]!.up()])
    await work(seconds(30))
    expect(await notes(ada, a)).toEqual(['fine'])
    await hosts[0]!.up()
    await work(seconds(10))
    expect(await notes(ada, a)).toEqual(['fine', 'fine'])
  })

  test('postponed turns survive a killed server', async () => {
    const [a] = [await keep(ada, hosts[0]!), await keep(bob, hosts[1]!)]
    const born = box.now()
    await work(0)
    await all('down')
    await work(minutes(28))
    await work(minutes(10))
    const { now, elapsed, config, db, log } = box.context
    const next = createContext(config, { db, log, clock: { now, elapsed } })
    const worker = createWorker(next)
    await all('up')
    box.pass(seconds(20))
    await worker.runDue()
    expect(await notes(ada, a)).toEqual(['fine', 'fine'])
    expect((await read(ada, a)).nextRunAt).toBe(born + minutes(56))
    await next.outbound.close()
    await next.events.close()
  })

  test('Run now runs immediately, and its note names the outage', async () => {
    const [a] = [await keep(ada, hosts[0]!, { notifyAfter: 1 }), await keep(bob, hosts[1]!)]
    await work(0)
    await all('down')
    await work(minutes(28))
    await work(seconds(30))
    await ada.post(`/api/v1/keepalive/run?id=${a}`)
    await work(1)
    expect((await ada.get(`/api/v1/keepalive?id=${a}`)).body).toMatchObject({ health: 'ok', failingSince: null })
    expect(await notes(ada, a)).toEqual([`${refused}; this server seems to be offline`, 'fine'])
    expect((await ada.get('/api/v1/incidents')).body).toEqual([])
  })

  test('failures of a single owner’s entries are recorded, even if all of them fail', async () => {
    const ids = await Promise.all([0, 1].flatMap((n) => Array.from({ length: 5 }, () => keep(ada, hosts[n]!))))
    await all('down')
    await work(0)
    for (const id of ids) expect(await notes(ada, id)).toEqual([refused])
  })

  test('failures are recorded if an operator host responds', async () => {
    const short = { interval: 1 }
    const [a, b] = [await keep(ada, hosts[0]!, short), await keep(bob, hosts[1]!, short)]
    await work(0)
    await Promise.all(hosts.map(({ down }) => down()))
    await work(minutes(1))
    expect(await notes(ada, a)).toEqual([refused, 'fine'])
    expect(await notes(bob, b)).toEqual([refused, 'fine'])
    expect(lines).toEqual([])
  })

  test('failures are recorded if another target responds, even with a hostile owner', async () => {
    const short = { interval: 1 }
    const victim = await keep(ada, hosts[0]!, short)
    for (let i = 0; i < 15; i++) await keep(bob, hosts[1]!, short)
    const alive = await keep(ada, hosts[2]!, short)
    await work(0)
    await Promise.all([operator, hosts[0]!, hosts[1]!].map(({ down }) => down()))
    for (let tries = 0; tries < 12; tries++) await work(seconds(15))
    expect((await notes(ada, victim)).filter((note) => note === refused).length).toBeGreaterThanOrEqual(2)
    expect(new Set(await notes(ada, alive))).toEqual(new Set(['fine']))
  })
})
