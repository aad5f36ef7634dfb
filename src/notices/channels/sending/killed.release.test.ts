import { expect, test } from 'vitest'
import { bothDialects, type Dialect } from '../../../../test/support/database/databases.ts'
import { serverDatabase } from '../../../../test/support/database/server-database.ts'
import { channelStorm } from '../../../../test/support/scenes/channel-storm.ts'
import { openDatabase } from '../../../platform/db/configured.ts'

async function survivedOn(dialect: Dialect) {
  const { env, drop } = await serverDatabase(dialect)
  const survived = await channelStorm({
    entries: 60,
    kills: 2,
    types: ['entry.failing'],
    env,
    open: () => openDatabase({ databaseUrl: env.DATABASE_URL, dataDir: env.DATA_DIR }),
  })
  await drop()
  return survived
}

test('a process killed while all targets fail reports each failure, and repeats only messages in flight', async () => {
  // In parallel, since both mostly wait.
  const all = await Promise.all(bothDialects.map(survivedOn))
  expect(all).toEqual(bothDialects.map(() => ({ reported: 60, lost: 0, twice: 0, repeated: 0, forged: 0 })))
}, 240_000)
