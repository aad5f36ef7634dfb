import { expect, test } from 'vitest'
import { type Dialect, dialects } from '../../../../test/support/database/databases.ts'
import { freshPostgres } from '../../../../test/support/database/fresh-postgres.ts'
import { channelStorm } from '../../../../test/support/scenes/channel-storm.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { openPostgres } from '../../../platform/db/postgres/open.ts'
import { openSqlite } from '../../../platform/db/sqlite/open.ts'

async function survivedOn(dialect: Dialect) {
  const folder = temporaryFolder()
  const database = dialect === 'postgres' ? await freshPostgres() : undefined
  const url = database?.url
  const secret = { APP_SECRET: 'a secret of at least thirty-two characters' }
  const survived = await channelStorm({
    entries: 60,
    kills: 2,
    types: ['entry.failing'],
    env: { DATA_DIR: folder, ...secret, ...(url ? { DATABASE_URL: url } : {}) },
    open: () => (url ? openPostgres(url) : openSqlite(folder)),
  })
  await database?.drop()
  return survived
}

test('a whole process that is killed while all its targets fail tells each failure, and again only what was in flight', async () => {
  // Side by side, since both mostly wait.
  const all = await Promise.all(dialects.map(survivedOn))
  expect(all).toEqual(dialects.map(() => ({ told: 60, lost: 0, twice: 0, again: 0, forged: 0 })))
}, 240_000)
