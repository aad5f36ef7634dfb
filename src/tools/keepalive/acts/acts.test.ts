import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  bothDialects,
  changeSettings,
  dialects,
  freshDatabase,
  insertEntry,
  insertUser,
} from '../../../../test/support/database/databases.ts'
import { actScene, key, path } from '../../../../test/support/scenes/act-scene.ts'
import { awake } from '../../../platform/db/migrations/next.ts'
import { schemaOf } from '../../../platform/db/migrations/schema.ts'
import { migrations } from '../migrations.ts'
import { offerActs } from './state.ts'

const jwt = (role: string) => `${btoa('{"alg":"HS256"}')}.${btoa(JSON.stringify({ role }))}.signature`

describe.each(dialects)('apps that need more than a request, on %s', async (dialect) => {
  const { box, ada, read, fieldsOf } = await actScene(dialect)

  const createAt = async (host: string, more: object = {}, by = ada): Promise<string> =>
    (await by.post(`${path}/`, { url: `http://${host}/`, status: false, ...more })).body.id

  test('secret keys and invalid settings are rejected', async () => {
    const url = 'http://abcdefgh.supabase.co/'
    const withKey = (secret: string, table: unknown = 'todos') => fieldsOf({ url, supabase: { key: secret, table } })
    const { body: saved } = await ada.post(`${path}/`, { url, status: false, supabase: { key, table: 'my-todos' } })
    for (const secret of ['sb_secret_abc', '"sb_secret_abc"', jwt('service_role')]) {
      expect(Object.values(await withKey(secret))).toEqual([expect.stringContaining('secret key')])
      const changed = await ada.patch(path, { id: saved.id, supabase: { key: secret, table: 'todos' } })
      expect(Object.values(changed.body.fields)).toEqual([expect.stringContaining('secret key')])
    }
    const { settings } = await box.db.q.selectFrom('entry').select('settings').executeTakeFirstOrThrow()
    expect(settings).toContain('my-todos')
    expect(await fieldsOf({ url, status: false, supabase: { key: jwt('anon'), table: 'todos' } })).toBeUndefined()
    for (const table of ['', '../auth', 'a/b', 'a?b', null])
      expect(Object.values(await withKey(key, table)), String(table)).toHaveLength(1)
    expect(await fieldsOf({ url, keep: 'often' })).toHaveProperty('keep')
    const app = 'http://demo.streamlit.app/'
    expect(await fieldsOf({ url: app, keep: 'auto', interval: 29 })).toHaveProperty('interval')
    expect(await fieldsOf({ url: app, keep: 'request', interval: 29, status: false })).toBeUndefined()
    expect((await ada.post(`${path}/`, { url: app, keep: 'streamlit', interval: 30 })).body).toMatchObject({
      every: 30,
    })
    expect(await fieldsOf({ url, keep: 'person' })).toHaveProperty('due')
    expect(await fieldsOf({ url, keep: 'person', due: '2026-02-30' })).toHaveProperty('due')
  })

  test('owners of older entries are notified once that requests are not enough', async () => {
    const active = { interval: 1_440, status: true }
    const ids = [await createAt('old.streamlit.app', active), await createAt('evil.test/?x=.streamlit.app', active)]
    const other = await createAt('new.streamlit.app', active)
    for (const id of ids) await changeSettings(box.db, id, ({ keep, supabase, due, ...before }) => before)
    for (let time = 0; time < 2; time++) await offerActs(box.context)
    const { items } = (await ada.get('/api/v1/user/inbox')).body
    const offers = items.filter(({ type }: { type: string }) => type === 'offer')
    expect(offers).toMatchObject([
      {
        message: expect.stringMatching(/^old\.streamlit\.app needs more than requests to stay awake \(/),
        entry: { tool: 'keepalive', id: ids[0] },
      },
    ])
    expect(await read(ids[0]!)).toMatchObject({ keep: 'request', kept: 'request' })
    // The change that the button on its page makes.
    const { body } = await ada.patch(path, { id: ids[0], keep: 'auto', interval: 'auto' })
    expect(body).toMatchObject({ kept: 'streamlit', every: 360 })
    expect((await read(other)).kept).toBe('request')
  })

  test('one call switches all entries with the required settings to their acts', async () => {
    const bob = box.as(await box.createPerson(`bob-${dialect}`))
    const withKey = { supabase: { key, table: 'todos' } }
    const offered = [
      await createAt('one.streamlit.app', { interval: 5 }),
      await createAt('two.streamlit.app'),
      await createAt('a.supabase.co', withKey),
    ]
    const rest: string[] = []
    for (const host of ['b.supabase.co', 'a.onrender.com', 'a.test/.streamlit.app']) rest.push(await createAt(host))
    const others = await createAt('three.streamlit.app', {}, bob)
    const readOffers = async () => (await ada.get(`${path}/offers`)).body.ids.toSorted()
    expect(await readOffers()).toEqual(offered.toSorted())
    const { body } = await ada.post(`${path}/offers`)
    expect(body).toEqual({ done: expect.arrayContaining(offered), refused: [] })
    expect(body.done).toHaveLength(3)
    expect(await readOffers()).toEqual([])
    const keepsOf = async (ids: string[]) =>
      Promise.all(ids.map(async (id) => [(await read(id)).keep, (await read(id)).kept, (await read(id)).every]))
    expect(await keepsOf(offered)).toEqual([
      ['auto', 'streamlit', 360],
      ['auto', 'streamlit', 360],
      ['auto', 'supabase', 240],
    ])
    expect(await keepsOf(rest)).toEqual(rest.map(() => ['request', 'request', 28]))
    expect((await bob.get(`${path}?id=${others}`)).body.kept).toBe('request')
  })

  test('the call skips edited and unreadable entries, and concurrent calls change each entry once', async () => {
    const spoilt = await createAt('one.streamlit.app')
    const ids: string[] = []
    for (let count = 0; count < 12; count++) ids.push(await createAt('one.streamlit.app'))
    await changeSettings(box.db, spoilt, () => ({ url: 7 }))
    const edited = ids.at(-1)!
    const [first, second] = await Promise.all([
      ada.post(`${path}/offers`),
      ada.post(`${path}/offers`),
      ada.patch(path, { id: edited, keep: 'person', due: '2099-01-01' }),
    ])
    expect([first.status, second.status]).toEqual([200, 200])
    expect([...first.body.done, ...second.body.done].toSorted()).toEqual(ids.slice(0, -1).toSorted())
    for (const { why } of [...first.body.refused, ...second.body.refused])
      expect(why).toBe('This entry was edited in the meantime.')
    expect(await read(edited)).toMatchObject({ keep: 'person', due: '2099-01-01' })
    expect((await ada.get(`${path}/offers`)).body).toEqual({ ids: [] })
  })
})

test.each(bothDialects)('the migrations for acts keep entries and the states of acts on %s', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  await insertUser(db, 'ada')
  for (const id of ['plain', 'seen']) await insertEntry(db, id, 'ada')
  const entries = async () => (await sql`select * from entry order by id`.execute(db.q)).rows as { awake?: string }[]
  await sql`alter table entry drop column awake`.execute(db.q)
  await sql`drop table awake`.execute(db.q)
  const before = await entries()
  const schema = schemaOf(dialect)
  await migrations['0068-awake']!(schema).up(db.q)
  expect(await entries()).toEqual(before)
  await sql`insert into awake (entry_id, state, found_asleep, last_asleep_at, memory)
    values ('seen', 'asleep', 3, 5, '{"awakeAt":4}')`.execute(db.q)
  await awake(schema).up(db.q)
  await migrations['0070-awake-moved']!(schema).up(db.q)
  expect(await entries()).toEqual(before.map((entry, at) => ({ ...entry, awake: at === 1 ? 'asleep' : null })))
  expect(await db.q.selectFrom('awake').selectAll().execute()).toEqual([
    { entry_id: 'seen', found_asleep: 3, last_asleep_at: 5, memory: '{"awakeAt":4}' },
  ])
  await db.q.deleteFrom('entry').where('id', '=', 'seen').execute()
  expect(await db.q.selectFrom('awake').selectAll().execute()).toEqual([])
  await drop()
})
