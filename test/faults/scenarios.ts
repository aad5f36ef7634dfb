import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { days, hours, seconds } from '../../src/shared/time.ts'
import { expectNoStart, expectSteady, expectUnready, failedRuns, linesOf, now, shareWork } from './expectations.ts'
import { hostileRequests } from './hostile-requests.ts'
import { killedInStorm } from './killed-in-storm.ts'
import { postgresScenarios } from './postgres-scenarios.ts'
import type { Scenario } from './scenario.ts'
import { every, margin } from './stage.ts'

const both = ['sqlite', 'postgres'] as const

export const scenarios: readonly Scenario[] = [
  ...postgresScenarios,
  hostileRequests,
  killedInStorm,
  {
    name: 'clock set',
    databases: both,
    limit: (every + margin) / 1_000,
    async run(stage, { limit }) {
      const steps = [-days(1), -hours(1), hours(1), days(1)]
      let offset = 0
      let slowest = 0
      for (const step of steps) {
        const [hook] = stage.hooks
        // Makes an event wait for its next attempt while the clock changes.
        stage.discord.answers(hook!, 'broken')
        await pause(seconds(1))
        offset += step
        await stage.setClock(offset)
        const since = now()
        await pause(seconds(1))
        stage.discord.answers(hook!, 'ok')
        const recovered = await stage.recovered(since, limit, (3 * every) / 1_000)
        slowest = Math.max(slowest, recovered)
        expectSteady(stage, since, `by ${step / hours(1)} h`)
        if (recovered === Number.POSITIVE_INFINITY) break
      }
      return { tries: steps.length, seconds: slowest }
    },
  },
  {
    name: 'clock set back across a restart',
    databases: both,
    limit: (every + margin) / 1_000,
    breaks: true,
    async run(stage, { limit }) {
      await stage.end('SIGTERM')
      await stage.setClock(-days(1))
      await stage.start()
      return { tries: 1, seconds: await stage.recovered(now(), limit, (3 * every) / 1_000) }
    },
  },
  {
    name: 'write lock held for 12 s by another program',
    databases: ['sqlite'],
    limit: 10,
    async run(stage, { limit }) {
      const other = new DatabaseSync(join(stage.data, 'toolbox.db'), { timeout: 5_000 })
      other.exec('begin immediate')
      const since = now()
      await pause(seconds(12))
      expectUnready(stage, since, ['locked', 'database', 'worker', 'badges'], 12)
      other.exec('rollback')
      other.close()
      const released = now()
      return { tries: 1, seconds: await stage.recovered(released, limit) }
    },
  },
  {
    name: 'disk full',
    databases: both,
    limit: 15,
    disk: 64,
    breaks: true,
    async run(stage, { limit, disk }) {
      stage.load.excuseUntilRecovered()
      disk?.fill()
      const since = now()
      const printed = linesOf(stage)
      await pause(seconds(15))
      expectUnready(stage, since, ['disk'], 15)
      const lines = linesOf(stage) - printed
      stage.expect(lines <= 30, `${lines} lines of log in 15 s`)
      disk?.free()
      const recovered = await stage.recovered(now(), limit)
      if (stage.database === 'sqlite') {
        await stage.end('SIGKILL')
        disk?.fill()
        await expectNoStart(stage, stage.data)
        disk?.free()
        await stage.start()
      }
      return { tries: 1, seconds: recovered }
    },
  },
  {
    name: 'kill -9 under load',
    databases: both,
    limit: 60,
    breaks: true,
    async run(stage, { limit, random }) {
      const tries = 10
      for (let kill = 1; kill <= tries; kill += 1) {
        await pause(300 + random() * 2_000)
        await stage.end('SIGKILL')
        await stage.start()
      }
      return { tries, seconds: await stage.recovered(now(), limit) }
    },
  },
  {
    name: 'one of two instances stopped, and continued',
    databases: ['postgres'],
    limit: 60,
    instances: 2,
    breaks: true,
    async run(stage, { limit }) {
      await shareWork(stage)
      stage.load.excuseUntilRecovered()
      const since = now()
      stage.running[0]?.signal('SIGSTOP')
      const recovered = await stage.recovered(since, limit, 65)
      const continued = now()
      stage.running[0]?.signal('SIGCONT')
      await pause(2 * every)
      expectSteady(stage, continued, 'after it went on')
      return { tries: 1, seconds: recovered }
    },
  },
  {
    name: 'own network down',
    databases: both,
    limit: 30,
    async run(stage, { limit }) {
      stage.load.excuseUntilRecovered()
      for (const proxy of stage.outside) proxy.refuse()
      await pause(seconds(25))
      for (const proxy of stage.outside) await proxy.heal()
      const healed = now()
      const recovered = await stage.recovered(healed, limit)
      const failures = await failedRuns(stage)
      stage.expect(failures === 0, `${failures} runs were recorded as failures of the targets`)
      const unready = stage.watch.readiness(0).filter(({ ready }) => !ready).length
      stage.expect(unready === 0, '/readyz was not 200 throughout')
      return { tries: 1, seconds: recovered }
    },
  },
  {
    name: '60 entries on a host that hangs',
    databases: both,
    limit: 10,
    env: { KEEPALIVE_EVERY: '10000ms', KEEPALIVE_TIMEOUT: '1s' },
    async run(stage, { limit }) {
      const paths = Array.from({ length: 60 }, (_, index) => `/hang/${index}`)
      for (const path of paths) await stage.entry(path, '127.0.2.1')
      const since = now()
      await pause(seconds(75))
      const visits = paths.map((path) => stage.visits.get(path)?.length ?? 0)
      const [fewest, most] = [Math.min(...visits), Math.max(...visits)]
      stage.expect(fewest >= 1, `${visits.filter((count) => count === 0).length} entries never ran`)
      stage.expect(most - fewest <= 1, `some ran ${fewest} times, others ${most}`)
      const { body } = await stage.call('GET', '/api/v1/keepalive/list')
      const waiting = Array.isArray(body) ? body.filter((entry) => entry.waitingSince > 0).length : 0
      stage.expect(waiting > 0, 'no entry says that it waits')
      return { tries: 60, seconds: await stage.recovered(since, limit) }
    },
  },
  {
    name: 'a database of a newer version, or damaged',
    databases: both,
    limit: 10,
    breaks: true,
    async run(stage, { limit }) {
      await stage.end('SIGTERM')
      await stage.change("insert into migration (name, timestamp) values ('9999-later', '2026')")
      await expectNoStart(stage, 'newer')
      await stage.change("delete from migration where name = '9999-later'")
      if (stage.database === 'sqlite') {
        const file = join(stage.data, 'toolbox.db')
        const whole = readFileSync(file)
        writeFileSync(file, Buffer.from(whole).fill('x', 0, 8_192))
        await expectNoStart(stage, 'damaged')
        writeFileSync(file, whole)
      }
      await stage.start()
      return { tries: stage.database === 'sqlite' ? 2 : 1, seconds: await stage.recovered(now(), limit) }
    },
  },
  {
    name: 'bodies of 6 MB',
    databases: ['sqlite'],
    limit: 10,
    async run(stage, { limit }) {
      const since = now()
      const port = Number(new URL(stage.running[0]!.url).port)
      const tries = 20
      for (const path of ['/api/v1/keepalive/', '/hooks/heroku/nobody']) {
        let answered = 0
        for (let count = 0; count < tries; count += 1)
          if ((await postLargeBody(port, path, stage.key)) === 413) answered += 1
        stage.expect(answered === tries, `${path} answered 413 to ${answered} of ${tries}`)
      }
      return { tries: 2 * tries, seconds: await stage.recovered(since, limit) }
    },
  },
]

const largeBody = 6_000_000

/** Sends a POST of 6 MB, reads only afterwards, and returns the status; 0 if the connection breaks. */
async function postLargeBody(port: number, path: string, key: string): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.setTimeout(seconds(15), () => socket.destroy())
  let response = ''
  let broken = false
  socket.on('error', () => {
    broken = true
  })
  socket.pause()
  await once(socket, 'connect')
  const about = `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${largeBody}`
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n${about}\r\n\r\n`)
  const piece = Buffer.alloc(60_000, 'x')
  for (let sent = 0; sent < largeBody && !broken && !socket.destroyed; sent += piece.length)
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
  socket.on('data', (chunk) => {
    response += chunk.toString('latin1')
    if (response.includes('\r\n\r\n')) socket.destroy()
  })
  socket.resume()
  if (!socket.destroyed) await once(socket, 'close')
  return Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1] ?? 0)
}
