import { setTimeout as pause } from 'node:timers/promises'
import { seconds } from '../../src/shared/time.ts'
import { expectUnready, now, openAllConnections, queryAllConnections, shareWork } from './expectations.ts'
import type { Scenario } from './scenario.ts'
import type { Stage } from './stage.ts'

/** Makes a number of open connections fall silent. */
const halfOpen = (name: string, countIn: (stage: Stage) => number): Scenario => ({
  name,
  databases: ['postgres'],
  limit: 30,
  async run(stage, { limit }) {
    await openAllConnections(stage)
    const tries = countIn(stage)
    stage.toDatabase.freeze(tries)
    const since = now()
    queryAllConnections(stage)
    return { tries, seconds: await stage.recovered(since, limit, 15) }
  },
})

export const postgresScenarios: readonly Scenario[] = [
  halfOpen('half of the connections half-open', () => 5),
  halfOpen('all connections half-open', ({ toDatabase }) => toDatabase.open()),
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
]
