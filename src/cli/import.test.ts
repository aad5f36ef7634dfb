import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Dialect, dialects, insertUser } from '../../test/support/database/databases.ts'
import { freshPostgres } from '../../test/support/database/fresh-postgres.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { migrate } from '../migrations.ts'
import { commandLine, writeAudit } from '../people/audit/log.ts'
import { openSecrets } from '../platform/crypto/secrets.ts'
import type { Db } from '../platform/db/open.ts'
import { lockFolder } from '../platform/db/sqlite/open.ts'
import { exportRows } from './export.ts'
import { importRows } from './import.ts'
import { configOf, type Terminal, withDatabase } from './terminal.ts'

const APP_SECRET = 'a secret of more than thirty-two characters'
const webhookId = '123456789012345678'

/** An installation with one relay, and an export of it in a file. */
async function installation(dialect: Dialect) {
  const folder = temporaryFolder()
  const server = dialect === 'postgres' ? await freshPostgres() : undefined
  const env = { APP_SECRET, ...(server ? { DATABASE_URL: server.url } : {}) }
  const context: Terminal = { env, folder, say: () => {} }
  await withDatabase(context, fillWithRelay)
  await exportRows(['good.jsonl'], context)
  return {
    context,
    /** Imports the export with `that` replaced and without its checksum, as a manual edit requires. */
    async importWith(that: string, replacement: string) {
      const text = readFileSync(join(folder, 'good.jsonl'), 'utf8').replace(/,"sha256":"[^"]*"/, '')
      expect(text).toContain(that)
      writeFileSync(join(folder, 'bad.jsonl'), text.replace(that, replacement))
      await importRows(['bad.jsonl', '--replace'], context)
    },
    query: <T>(work: (q: Db['q']) => Promise<T>) => withDatabase(context, ({ q }) => work(q)),
    drop: async () => server?.drop(),
  }
}

async function fillWithRelay(db: Db): Promise<void> {
  await migrate(db)
  await insertUser(db, 'ada')
  await writeAudit(db.q, Date.now(), { actor: commandLine, action: 'user.create' })
  const { seal } = openSecrets({ appSecret: APP_SECRET })
  const hook = { id: webhookId, token: seal('t'.repeat(68), 'entry.settings') }
  const options = { filter: { preset: 'everything' }, showActor: false, mentionRole: null, threadId: null }
  const settings = JSON.stringify({
    ...options,
    hook,
    secret: null,
    previous: null,
    token: seal('endpoint', 'entry.settings'),
  })
  const entry = { id: 'the-relay', tool: 'herokudiscordwebhook', owner_id: 'ada', status: 1, settings } as const
  await db.q
    .insertInto('entry')
    .values({ ...entry, address: null, created_at: 1, updated_at: 1 })
    .execute()
  await db.q.insertInto('relay').values({ entry_id: entry.id, webhook_id: webhookId }).execute()
  const mine = {
    tag: 'mine',
    camo: 3,
    last_view: 1,
    created_at: 1,
    owner_id: 'ada',
    base: 7,
    reset_views: 2,
    hidden: 1,
  }
  await db.q.insertInto('badge').values(mine).execute()
  const build = { entry_id: entry.id, resource: 'build', action: 'update', payload: '{}', received_at: 1 }
  const event = (id: string, seq: number) => ({ ...build, id, event_id: id, event_key: id, state: 'accepted', seq })
  // The clock was set back between the two.
  await db.q
    .insertInto('relay_event')
    .values([event('1', 7), event('2', 5)])
    .execute()
}

describe.each(dialects)('an import into %s', async (dialect) => {
  // Shared by all tests: a refused import changes nothing, and a successful one replaces everything.
  const target = await installation(dialect)
  afterAll(() => target.drop())
  const settings = () => target.query((q) => q.selectFrom('entry').select('settings').execute())

  test.each([
    ['a webhook id that is none', `\\"id\\":\\"${webhookId}`, '\\"id\\":\\"../channels', 'discordHook: '],
    ['settings that are no JSON', '"settings":"{', '"settings":"', 'settings: '],
    ['settings that lack something', '\\"threadId\\":null,', '', 'threadId: '],
    ['a sealed text that was cut', '\\"token\\":\\"v1.', '\\"token\\":\\"', 'was not sealed'],
  ])('rejects an entry with %s, names its id, and changes nothing', async (_what, that, replacement, why) => {
    const before = await settings()
    const refused = target.importWith(that, replacement)
    await expect(refused).rejects.toThrow(/bad\.jsonl contains an invalid webhook relay entry, the-relay: /)
    await expect(refused).rejects.toThrow(why)
    expect(await settings()).toEqual(before)
  })

  test('rejects a user with an invalid role level, and changes nothing', async () => {
    for (const level of ['\\"1\\"', '-1', '9', 'true']) {
      const refused = target.importWith('\\"Tools\\":1', `\\"Tools\\":${level}`)
      await expect(refused).rejects.toThrow(
        /bad\.jsonl contains an invalid user, ada: roles must be levels from 0 to 2\.$/,
      )
    }
    const roles = '{"Admin":0,"Tools":1}'
    expect(await target.query((q) => q.selectFrom('users').select('roles').execute())).toEqual([{ roles }])
  })

  test('rejects a badge with impossible values and names its line', async () => {
    for (const [that, replacement, why] of [
      ['"base":7', '"base":-5', 'base must be a whole number from 0 to 1000000000000'],
      ['"base":7', '"base":1.5', 'base must be a whole number'],
      ['"reset_views":2', '"reset_views":4', 'reset_views must be at most its views'],
      ['"reset_views":2', '"reset_views":-1', 'reset_views must be a whole number of at least 0'],
      ['"hidden":1', '"hidden":7', 'hidden must be 0 or 1'],
      ['"camo":3', '"camo":"3"', 'camo must be a whole number'],
      ['"tag":"mine"', '"tag":"../mine"', 'tag Use 1 to 64 letters'],
    ] as const) {
      const refused = target.importWith(that, replacement)
      await expect(refused).rejects.toThrow(/bad\.jsonl, line \d+, has an invalid row of badge: /)
      await expect(refused).rejects.toThrow(why)
    }
  })

  describe('that succeeds', async () => {
    const before = await settings()
    await target.importWith('"name":null', '"name":"a\u2028b\u2029c"')

    test('imports the entries unchanged', async () => {
      expect(before).toHaveLength(1)
      expect(await settings()).toEqual(before)
    })

    test('imports names that contain Unicode line separators', async () => {
      const names = target.query((q) => q.selectFrom('entry').select('name').execute())
      expect(await names).toEqual([{ name: 'a\u2028b\u2029c' }])
    })

    test('replaces the audit log, which stays append-only', async () => {
      await expect(target.query((q) => q.deleteFrom('audit').execute())).rejects.toThrow('append-only')
    })

    test('keeps the order of imported events, and places them before later ones', async () => {
      const places = target.query((q) => q.selectFrom('relay_event').select(['id', 'seq']).orderBy('seq').execute())
      expect(await places).toEqual([
        { id: '2', seq: -2 },
        { id: '1', seq: 0 },
      ])
    })
  })
})

test('an import is refused while a server runs on the embedded database', async () => {
  const { context } = await installation('sqlite')
  const release = lockFolder(configOf(context).dataDir)
  await expect(importRows(['good.jsonl', '--replace'], context)).rejects.toThrow('in use by another ToolBox')
  release()
  await expect(importRows(['good.jsonl', '--replace'], context)).resolves.toBeUndefined()
})
