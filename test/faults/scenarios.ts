import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { days, hours, type Milliseconds, seconds } from '../../src/shared/time.ts'
import { sendWhole } from './send-whole.ts'
import type { SmallDisk } from './small-disk.ts'
import { type Database, every, margin, type Stage } from './stage.ts'

export type Scenario = {
  name: string
  databases: readonly Database[]
  /** Seconds until everything has to be as before. */
  limit: number
  instances?: number
  env?: Record<string, string>
  /** Needs a disk of its own of so many megabytes. */
  disk?: number
  /** The server itself ends or stands still, so that calls break off. */
  breaks?: boolean
  /** Injects the fault and waits for the recovery, whose seconds it answers. */
  run(stage: Stage, tools: Tools): Promise<{ tries: number; seconds: number }>
}
export type Tools = {
  limit: number
  /** A number from 0 to 1, the same in every run of the same seed. */
  random: () => number
  disk: SmallDisk | undefined
}

const both = ['sqlite', 'postgres'] as const
const now = () => performance.now()

/** Every fault, in the order in which they are tried. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'half of the connections half-open',
    databases: ['postgres'],
    limit: 30,
    async run(stage, { limit }) {
      await openAll(stage)
      stage.toDatabase.freeze(5)
      const since = now()
      borrowAll(stage)
      return { tries: 5, seconds: await stage.recovered(since, limit, 15) }
    },
  },
  {
    name: 'all connections half-open',
    databases: ['postgres'],
    limit: 30,
    async run(stage, { limit }) {
      await openAll(stage)
      const tries = stage.toDatabase.open()
      stage.toDatabase.freeze(tries)
      const since = now()
      borrowAll(stage)
      return { tries, seconds: await stage.recovered(since, limit, 15) }
    },
  },
  {
    name: 'database out of reach, and a stop',
    databases: ['postgres'],
    limit: 30,
    breaks: true,
    async run(stage, { limit }) {
      const since = now()
      stage.load.excuseUntilRecovered()
      stage.toDatabase.freeze()
      await pause(seconds(25))
      expectUnready(stage, since, ['database', 'worker', 'badges', 'relay', 'events'], 20)
      stage.expect(stage.watch.slowestHealthz() <= 1_000, '/healthz took longer than 1 s')
      await stage.toDatabase.heal()
      const recovered = await stage.recovered(now(), limit)
      stage.load.excuseUntilRecovered()
      stage.toDatabase.freeze()
      await pause(seconds(2))
      await stage.stopInTime(seconds(30))
      await stage.toDatabase.heal()
      await stage.start()
      return { tries: 2, seconds: recovered }
    },
  },
  {
    name: 'take-over from an instance without its database',
    databases: ['postgres'],
    limit: 60,
    instances: 2,
    breaks: true,
    async run(stage, { limit }) {
      await shareWork(stage)
      const since = now()
      stage.load.excuseUntilRecovered()
      stage.toDatabase.freeze()
      const recovered = await stage.recovered(since, limit, 20)
      await stage.stopInTime(seconds(30))
      await stage.toDatabase.heal()
      return { tries: 1, seconds: recovered }
    },
  },
  {
    name: 'PostgreSQL killed',
    databases: ['postgres'],
    limit: 15,
    async run(stage, { limit }) {
      stage.load.excuseUntilRecovered()
      stage.postgres?.kill('SIGKILL')
      await pause(seconds(3))
      await stage.postgres?.start()
      return { tries: 1, seconds: await stage.recovered(now(), limit) }
    },
  },
  {
    name: 'PostgreSQL restarted',
    databases: ['postgres'],
    limit: 15,
    async run(stage, { limit }) {
      stage.load.excuseUntilRecovered()
      stage.postgres?.kill('SIGINT')
      await pause(500)
      await stage.postgres?.start()
      return { tries: 1, seconds: await stage.recovered(now(), limit) }
    },
  },
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
        // An event waits for its next attempt when the clock is set.
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
      other.exec('rollback')
      other.close()
      const released = now()
      expectUnready(stage, since, ['locked', 'database', 'worker', 'badges'], 12)
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
      if (stage.database === 'sqlite') await expectWordsOnFullDisk(stage, disk)
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
        stage.load.excuseNewest()
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
    limit: 20,
    async run(stage, { limit }) {
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
    env: { KEEPALIVE_EVERY: '10s', KEEPALIVE_TIMEOUT: '1s' },
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
          if ((await sendWhole(port, path, stage.key)) === 413) answered += 1
        stage.expect(answered === tries, `${path} answered 413 to ${answered} of ${tries}`)
      }
      return { tries: 2 * tries, seconds: await stage.recovered(since, limit) }
    },
  },
]

/** Lets both instances have work in flight, and asks only the second from now on. */
async function shareWork(stage: Stage): Promise<void> {
  stage.slowTargets(2_000)
  await pause(2 * every)
  stage.use(1)
}

/** Makes the server open as many connections as it may. */
async function openAll(stage: Stage): Promise<void> {
  for (let tries = 0; tries < 20 && stage.toDatabase.open() < 10; tries += 1) await borrowAll(stage)
  stage.load.excuseUntilRecovered()
}

/** So many calls at once that each connection has some. */
const borrowAll = (stage: Stage) =>
  Promise.all(Array.from({ length: 40 }, () => stage.call('GET', '/api/v1/keepalive/list')))

/** The first server said in time that it is not ready, for one of these reasons. */
function expectUnready(stage: Stage, since: Milliseconds, words: readonly string[], within: number): void {
  const unready = stage.watch.readiness(since).filter(({ ready }) => !ready)
  const known = unready.find(({ why }) => words.includes(why))
  const took = Math.round(((known?.at ?? Number.POSITIVE_INFINITY) - since) / 1_000)
  const said = [...new Set(unready.map(({ why }) => why))].join(', ')
  stage.expect(took <= within, `/readyz said ${said || 'ready'} where ${words.join(' or ')} was due in ${within} s`)
}

/** No entry ran twice within half its interval since that moment. */
function expectSteady(stage: Stage, since: Milliseconds, when: string): void {
  const bunched = stage.awake().filter(([, times]) => {
    const recent = times.filter((at) => at >= since - every)
    return recent.some((at, index) => index > 0 && at - recent[index - 1]! < every / 2)
  })
  stage.expect(bunched.length === 0, `${bunched.length} entries ran twice within half their interval (${when})`)
}

async function expectWordsOnFullDisk(stage: Stage, disk: SmallDisk | undefined): Promise<void> {
  await stage.end('SIGKILL')
  disk?.fill()
  const why = await stage.start().then(
    () => 'it started',
    (error: Error) => error.message,
  )
  await stage.end('SIGKILL')
  disk?.free()
  await stage.start()
  const isSentence = why.includes(stage.data) && !why.includes('    at ')
  stage.expect(
    isSentence,
    `a start on a full disk does not end with a sentence that names the folder: ${why.slice(0, 200)}`,
  )
}

const linesOf = (stage: Stage) => stage.running[0]?.printed().split('\n').length ?? 0

async function failedRuns(stage: Stage): Promise<number> {
  let failures = 0
  for (const id of stage.ids) {
    const { history } = Object((await stage.call('GET', `/api/v1/keepalive?id=${id}`)).body)
    failures += Array.isArray(history) ? history.filter(({ success }) => !success).length : 1
  }
  return failures
}
