import { expect, onTestFinished, test } from 'vitest'
import { bothDialects } from '../../../../test/support/database/databases.ts'
import { serverDatabase } from '../../../../test/support/database/server-database.ts'
import { relayStorm } from '../../../../test/support/scenes/relay/relay-storm.ts'

test.each(bothDialects)(
  'a process on %s sends accepted events in order and repeats only those in flight, despite kills and Discord failures',
  async (dialect) => {
    const { env, freeLeases, drop } = await serverDatabase(dialect)
    onTestFinished(drop)
    // Discord fails after the first kill, and works again after the second.
    const survived = await relayStorm({
      webhooks: 6,
      events: 8,
      kills: 2,
      every: 100,
      cards: true,
      env,
      inherit: freeLeases,
    })
    expect(survived).toEqual({ accepted: 48, lost: 0, twice: 0, again: expect.any(Number), disorder: 0, unfinished: 0 })
  },
  180_000,
)
