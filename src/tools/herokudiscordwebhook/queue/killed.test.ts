import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { freshPostgres } from '../../../../test/support/database/fresh-postgres.ts'
import { relayStorm } from '../../../../test/support/scenes/relay-storm.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { openPostgres } from '../../../platform/db/postgres/open.ts'
import { jobs } from '../../../platform/queue/jobs.ts'

describe.each(dialects)('a whole process on %s that is killed while Heroku delivers and Discord fails', (dialect) => {
  let folder: string
  let databaseUrl: string | undefined
  let drop = async () => {}
  beforeAll(async () => {
    folder = temporaryFolder()
    if (dialect === 'sqlite') return
    const database = await freshPostgres()
    databaseUrl = database.url
    drop = database.drop
  })
  afterAll(async () => {
    await drop()
  })

  /** On PostgreSQL another instance may hold what the killed one held, until its lease ends. */
  async function leasesRunOut() {
    if (databaseUrl === undefined) return
    const db = openPostgres(databaseUrl)
    await jobs(db, 'nobody', Date.now).releaseAll(Date.now())
    await db.close()
  }

  test('brings all it accepted to Discord in order, and again only what was in flight', async () => {
    const secret = { APP_SECRET: 'a secret of at least thirty-two characters' }
    const survived = await relayStorm({
      webhooks: 12,
      events: 8,
      kills: 3,
      every: 100,
      cards: true,
      env: { DATA_DIR: folder, ...secret, ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}) },
      inherit: leasesRunOut,
    })
    expect(survived).toEqual({ accepted: 96, lost: 0, twice: 0, again: expect.any(Number), disorder: 0, unfinished: 0 })
  }, 180_000)
})
