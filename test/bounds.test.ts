import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mostOwnADay } from '../src/people/audit/log.ts'
import { linkAccount } from '../src/people/sign-in-methods.ts'
import { minutes } from '../src/shared/time.ts'
import { rememberDevice } from '../src/sign-in/limits/known-places.ts'
import { addPasskey } from '../src/sign-in/second-factor/passkeys.ts'
import { bothDialects, dialects, freshDatabase } from './support/database/databases.ts'
import { signedIn } from './support/people.ts'
import { type Channelbox, channelbox } from './support/scenes/channel-scene.ts'

/** What keeps each table from growing without end, and which test holds it to that; nothing where no user's call adds rows. */
const bounds: Record<string, readonly [bound: string, test: string | null]> = {
  access_request: ['one a user', 'access.test.ts'],
  api_key: ['50 a user', 'api-keys.test.ts'],
  api_key_network: ['50 new ones a key and day, for 400 days, and as long as the key', 'trail.test.ts'],
  audit: ['so many of each kind by one user within a day, for 400 days', 'bounds.test.ts'],
  awake: ['one an entry', null],
  badge: ['BADGE_NEW_TAGS_PER_HOUR; unclaimed ones of few views are forgotten', 'bounds.test.ts'],
  badge_day: ['one a tag and day, for 400 days', 'clean-up.test.ts'],
  badge_journal_unreadable: ['nothing adds to it any more', null],
  badge_new: ['one a network and minute, for an hour', 'new-tags.test.ts'],
  certificate: ['one an entry', null],
  channel: ['20 a user', 'bounds.test.ts'],
  channel_news: ['1,000 a channel, and one of each type an entry that is there', 'bounds.test.ts'],
  dead_image: ['the images of the last run of an entry', 'stale.test.ts'],
  entry: ['1,000 a user; those with Admin Access to the tools make more', 'limits.test.ts'],
  image_copy: ['1 MB an entry', 'compare.test.ts'],
  inbox_group: ['one a user and type of news', 'inbox.test.ts'],
  incident: ['1,000 an entry', 'health.test.ts'],
  invite: ['1,000 open ones; 1,000 a day by one admin, until 30 days after their end', 'bounds.test.ts'],
  invite_use: ['100 an invitation', 'invites.test.ts'],
  job: ['a few an entry, a delivery or a channel; spare ones of a channel go when one of them runs', 'bounds.test.ts'],
  known_device: ['50 a user', 'bounds.test.ts'],
  known_network: ['20 a user', 'guessing-attacks.test.ts'],
  mail: ['one a kind, address and hour, 60 invitations an hour by one admin; for a day', 'mail.test.ts'],
  migration: ['one a migration', null],
  migration_lock: ['one', null],
  migration_version: ['one a migration', null],
  notification: ['1,000 a user, and 200 announcements a day by one admin; for 90 days', 'inbox.test.ts'],
  notification_seen: ['one a user and notification', 'audit.test.ts'],
  passkey: ['20 a user', 'bounds.test.ts'],
  provider_links: ['20 a user', 'bounds.test.ts'],
  purge: ['an image within 10 minutes', 'runs.test.ts'],
  purge_image: ['the images of the last run of an entry', 'run.test.ts'],
  purge_page: ['one an entry', 'run.test.ts'],
  rate_limits: ['one a key that is being limited, for 15 minutes', 'guessing-attacks.test.ts'],
  relay: ['one an entry', null],
  relay_card: ['200 an entry, for 30 days', 'send-deploy.test.ts'],
  relay_event: ['10,000 and 32 MB an entry, for 30 days', 'full.test.ts'],
  run: ['200 an entry', 'keepalive.test.ts'],
  run_day: ['400 an entry', 'keepalive.test.ts'],
  second_factor: ['one a user', 'second-factor.test.ts'],
  sessions: ['20 a user', 'session.test.ts'],
  setting: ['a few, by fixed names', null],
  setup_link: ['one a purpose, by the command line', null],
  sign_in_failure: ['500 in 15 minutes besides one for each account, for 30 days', 'trail.test.ts'],
  status_page: ['one a user', 'bounds.test.ts'],
  status_page_entry: ['1,000 a page', 'bounds.test.ts'],
  status_slug: ['one a new address of a page, which are limited a day; for 31 days', 'status-page.test.ts'],
  users: ['one an account of a provider, a use of an invitation, or 20,000 a day by one admin', 'trail.test.ts'],
  verifications: ['40 starts within 10 s from one address, for a day', 'callback.test.ts'],
}

test.each(bothDialects)('every table on %s says what bounds it, and which test knows', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  const tables = (await db.q.introspection.getTables()).map(({ name }) => name)
  await drop()
  expect(tables.toSorted()).toEqual(Object.keys(bounds).toSorted())
  const root = join(import.meta.dirname, '..')
  const there = new Set(globSync('{src,test}/**/*.test.ts', { cwd: root }).map((path) => basename(path)))
  const tests = Object.values(bounds).flatMap(([, file]) => file ?? [])
  expect(tests.filter((file) => !there.has(file))).toEqual([])
})

describe.each(dialects)('a user who makes and deletes without end on %s', (dialect) => {
  let box: Channelbox
  beforeEach(async () => {
    box = await channelbox(dialect)
  })
  afterEach(() => box.close())
  const count = async (table: string) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(box.db.q)
    return Number(rows[0]?.count)
  }
  const quiet = { zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '23:59' }
  const hook = async (more: object = {}) =>
    box.channel(
      'webhook',
      box.services.webhook(() => ''),
      { events: ['failing', 'account'], ...more },
    )

  test('makes 200 keys a day, however many are deleted', async () => {
    const path = '/api/v1/user/apikeys'
    const made = Array.from({ length: mostOwnADay - 1 }, (_, n) => ({
      ...{ id: `${n}`, at: box.now(), actor_id: box.adaUser.id, actor: 'ada', action: 'key.create' },
      ...{ target_id: `${n}`, target: 'ci', changes: '[]', address: null, device: null },
    }))
    await box.db.q.insertInto('audit').values(made).execute()
    const create = () => box.ada.post(path, { name: 'ci', scopes: ['read'], expiresAt: null })
    const last = await create()
    expect(last.status).toBe(201)
    expect((await box.ada.delete(`${path}?id=${last.body.id}`)).status).toBe(200)
    const { status, headers } = await create()
    expect([status, headers['retry-after']]).toEqual([429, '86400'])
    expect(await count('audit')).toBe(mostOwnADay + 1)
  })

  test('has the newest 1,000 news wait for a quiet channel, and all of entries that are there', async () => {
    await hook({ quiet })
    const { id } = (await box.ada.post('/api/v1/keepalive', { url: 'http://127.0.0.1:1/', interval: 5 })).body
    const news = box.entryNews('failing', 'there')
    if (news.type === 'failing') await box.notify({ ...news, entry: { ...news.entry, id } })
    for (let n = 0; n < 1_100; n += 100) {
      box.pass(1)
      const message = (i: number) => `${n + i} was changed.`
      await box.notify(
        ...Array.from({ length: 100 }, (_, i) => ({
          type: 'account' as const,
          userId: box.adaUser.id,
          message: message(i),
        })),
      )
    }
    expect(await count('channel_news')).toBe(1_001)
    const subjects = await box.db.q.selectFrom('channel_news').select('subject').execute()
    expect(subjects.map(({ subject }) => subject)).toEqual(expect.arrayContaining([id, '1099 was changed.']))
    await box.wait(minutes(1))
    expect(await count('job')).toBeLessThan(5)
  })

  test('has 20 channels and linked accounts', async () => {
    for (let n = 0; n < 20; n++) await hook()
    await expect(hook()).rejects.toThrow('limit of 20 channels')
    expect(await count('channel')).toBe(20)
    const link = (n: number) =>
      box.db.q.transaction().execute((tx) => {
        const account = { providerId: '001_Discord', accountId: `${n}`, accountUsername: `ada${n}` }
        return linkAccount(box.db, tx, box.adaUser.id, account, box.now())
      })
    const before = await count('provider_links')
    for (let n = before; n < 20; n++) await link(n)
    await expect(link(20)).rejects.toMatchObject({ status: 400 })
    expect(await count('provider_links')).toBe(20)
  })

  test('has 20 passkeys, 1,000 claimed tags, 50 known devices and a status page of 1,000 entries', async () => {
    const { q } = box.db
    const { id, email } = box.adaUser
    const at = box.now()
    const rows = <Row>(most: number, row: (n: number) => Row) => Array.from({ length: most }, (_, n) => row(n))
    const key = {
      user_id: id,
      rp_id: 'localhost',
      public_key: '',
      counter: 0,
      transports: '',
      name: 'key',
      created_at: at,
    }
    const passkeys = rows(20, (n) => ({ id: `${n}`, credential_id: `${n}`, last_used_at: null, ...key }))
    await q.insertInto('passkey').values(passkeys).execute()
    const actor = { id, name: email, address: null, device: null }
    const credential = { id: 'one more', publicKey: '', counter: 0, transports: [] }
    const more = addPasskey(box.context, actor, { id, email }, 'One more', credential)
    await expect(more).rejects.toMatchObject({ status: 409 })

    const badges = rows(1_000, (n) => ({ tag: `t${n}`, last_view: 0, created_at: at, owner_id: id, claimed_at: at }))
    await q.insertInto('badge').values(badges).execute()
    expect((await box.ada.post('/api/v1/analyticsbadge/one_more/claim')).status).toBe(409)

    const devices = rows(60, (n) => ({
      user_id: id,
      device: `Device ${n}`,
      network: '192.0.2.0/24',
      last_at: at - 1 - n,
    }))
    await q.insertInto('known_device').values(devices).execute()
    await rememberDevice(box.context, { userId: id, address: '198.51.100.1', userAgent: null })
    expect(await count('known_device')).toBe(50)

    const entries = rows(1_001, (n) => ({ tool: 'keepalive', id: `e${n}`, showUrl: false }))
    const page = { slug: 'ada-page', title: 'Ada', text: '' }
    expect((await box.ada.put('/api/v1/user/status', { ...page, entries })).status).toBe(400)
    for (const slug of ['ada-one', 'ada-two'])
      expect((await box.ada.put('/api/v1/user/status', { ...page, slug, entries: [] })).status).toBe(200)
    expect(await count('status_page')).toBe(1)
  })

  test('who is an admin has 1,000 open invitations', async () => {
    const { screen } = await signedIn(box, { roles: { Admin: 2 } })
    const open = { roles: '{}', tags: '[]', email: null, mailed: 0, uses: 1, created_by: null, revoked_at: null }
    const times = { created_at: box.now(), expires_at: box.now() + minutes(60) }
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ id: `${n}`, hash: `${n}`, ...open, ...times }) as const)
    await box.db.q
      .insertInto('invite')
      .values(rows as never)
      .execute()
    expect((await screen.post('/api/v1/admin/invites', { roles: {} })).status).toBe(409)
  })
})
