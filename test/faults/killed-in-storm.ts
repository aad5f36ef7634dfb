import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../src/platform/db/postgres/open.ts'
import { openSqlite } from '../../src/platform/db/sqlite/open.ts'
import { channelStorm } from '../support/scenes/channel-storm.ts'
import { createDatabase, dropDatabase } from './database.ts'
import type { Scenario } from './scenario.ts'

const entries = 1_000
const kills = 20

/** Kills a separate server with its own database while it reports that 1,000 entries fail together and recover. */
export const killedInStorm: Scenario = {
  name: 'kill -9 during a storm of 1,000 failures',
  databases: ['sqlite', 'postgres'],
  limit: 10,
  async run(stage, { random }) {
    const folder = mkdtempSync(join(tmpdir(), 'toolbox-storm-'))
    const url = stage.postgres && (await createDatabase(stage.postgres, undefined))
    const secret = { APP_SECRET: 'a secret of at least thirty-two characters' }
    try {
      const { reported, lost, twice, repeated, forged } = await channelStorm({
        entries,
        kills,
        random,
        env: { DATA_DIR: folder, ...secret, ...(url ? { DATABASE_URL: url } : {}) },
        open: () => (url ? openPostgres(url) : openSqlite(folder)),
      })
      stage.noted.push(`${reported} changes told`)
      stage.expect(reported >= 2 * entries, `only ${reported} of ${2 * entries} changes came`)
      stage.expect(lost === 0, `${lost} changes were never told`)
      stage.expect(twice === 0, `${twice} changes were told by two messages`)
      stage.expect(repeated === 0, `${repeated} messages that were not in flight came again`)
      stage.expect(forged === 0, `${forged} messages were not signed`)
      return { tries: kills, seconds: 0 }
    } finally {
      rmSync(folder, { recursive: true, force: true })
      if (stage.postgres && url) await dropDatabase(stage.postgres, url)
    }
  },
}
