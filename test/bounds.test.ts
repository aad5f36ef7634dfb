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
import { createSignedInPerson } from './support/people.ts'
import { type Channelbox, channelbox } from './support/scenes/channel-scene.ts'

/** The limit on each table's growth and the file that tests it; null where no user's call adds rows. */
const bounds: Record<string, readonly [bound: string, test: string | null]> = {
  access_request: ['one per user', 'access.test.ts'],
  api_key: ['50 per user', 'api-keys.test.ts'],
  api_key_network: ['50 new ones per key and day; kept for 400 days, while the key exists', 'trail.test.ts'],
  audit: ['a fixed number of each kind per user and day; kept for 400 days', 'bounds.test.ts'],
  awake: ['one per entry', null],
  badge: ['BADGE_NEW_TAGS_PER_HOUR; unclaimed tags with few views are deleted', 'bounds.test.ts'],
  badge_day: ['one per tag and day; kept for 400 days', 'clean-up.test.ts'],
  badge_journal_unreadable: ['no code adds rows any more', null],
  badge_new: ['one per network and minute; kept for an hour', 'new-tags.test.ts'],
  certificate: ['one per entry', null],
  channel: ['20 per user', 'bounds.test.ts'],
  channel_news: ['1,000 per channel, plus one of each type per existing entry', 'bounds.test.ts'],
  dead_image: ['the images of each entry’s last run', 'stale.test.ts'],
  entry: ['1,000 per user; unlimited with Admin Access to the tools', 'limits.test.ts'],
  image_copy: ['1 MB per entry', 'compare.test.ts'],
  inbox_group: ['one per user and type of news', 'inbox.test.ts'],
  incident: ['1,000 per entry', 'health.test.ts'],
  invite: ['1,000 open ones; 1,000 per admin and day; kept for 30 days after they end', 'bounds.test.ts'],
  invite_use: ['100 per invitation', 'invites.test.ts'],
  job: ['a few per entry, delivery or channel; a channel job deletes the spare ones when it runs', 'bounds.test.ts'],
  known_device: ['50 per user', 'bounds.test.ts'],
  known_network: ['20 per user', 'guessing-attacks.test.ts'],
  mail: ['one per kind, address and hour; 60 invitations per admin and hour; kept for a day', 'mail.test.ts'],
  migration: ['one per migration', null],
  migration_lock: ['one', null],
  migration_version: ['one per migration', null],
  notification: ['1,000 per user, plus 200 announcements per admin and day; kept for 90 days', 'inbox.test.ts'],
  notification_seen: ['one per user and notification', 'audit.test.ts'],
  passkey: ['20 per user', 'bounds.test.ts'],
  provider_links: ['20 per user', 'bounds.test.ts'],
  purge: ['one per image; kept for 10 minutes', 'runs.test.ts'],
  purge_image: ['the images of each entry’s last run', 'run.test.ts'],
  purge_page: ['one per entry', 'run.test.ts'],
  rate_limits: ['one per limited key; kept for 15 minutes', 'guessing-attacks.test.ts'],
  relay: ['one per entry', null],
  relay_card: ['200 per entry; kept for 30 days', 'send-deploy.test.ts'],
  relay_event: ['10,000 and 32 MB per entry; kept for 30 days', 'full.test.ts'],
  run: ['200 per entry', 'keepalive.test.ts'],
  run_day: ['400 per entry', 'keepalive.test.ts'],
  second_factor: ['one per user', 'second-factor.test.ts'],
  sessions: ['20 per user', 'session.test.ts'],
  setting: ['a few with fixed names', null],
  setup_link: ['one per purpose, created only at start or by a command', null],
  sign_in_failure: ['500 per 15 minutes, plus one per account; kept for 30 days', 'trail.test.ts'],
  status_page: ['one per user', 'bounds.test.ts'],
  status_page_entry: ['1,000 per page', 'bounds.test.ts'],
  status_slug: ['one per new page address, limited per day; kept for 31 days', 'status-page.test.ts'],
  users: ['one per provider account or use of an invitation, plus 20,000 per admin and day', 'trail.test.ts'],
  verifications: ['40 starts per address in 10 s; kept for a day', 'callback.test.ts'],
}

test.each(bothDialects)('every table on %s has a documented limit, and its test file exists', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  const tables = (await db.q.introspection.getTables()).map(({ name }) => name)
  await drop()
  expect(tables.toSorted()).toEqual(Object.keys(bounds).toSorted())
  const root = join(import.meta.dirname, '..')
  const existing = new Set(globSync('{src,test}/**/*.test.ts', { cwd: root }).map((path) => basename(path)))
  const tests = Object.values(bounds).flatMap(([, file]) => file ?? [])
  expect(tests.filter((file) => !existing.has(file))).toEqual([])
})

describe.each(dialects)('on %s, a user who endlessly creates and deletes rows', (dialect) => {
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

  test('can create 200 keys a day, even after deleting some', async () => {
    const path = '/api/v1/user/apikeys'
    const auditRows = Array.from({ length: mostOwnADay - 1 }, (_, n) => ({
      ...{ id: `${n}`, at: box.now(), actor_id: box.adaUser.id, actor: 'ada', action: 'key.create' },
      ...{ target_id: `${n}`, target: 'ci', changes: '[]', address: null, device: null },
    }))
    await box.db.q.insertInto('audit').values(auditRows).execute()
    const create = () => box.ada.post(path, { name: 'ci', scopes: ['read'], expiresAt: null })
    const last = await create()
    expect(last.status).toBe(201)
    expect((await box.ada.delete(`${path}?id=${last.body.id}`)).status).toBe(200)
    const { status, headers } = await create()
    expect([status, headers['retry-after']]).toEqual([429, '86400'])
    expect(await count('audit')).toBe(mostOwnADay + 1)
  })

  test('keeps the newest 1,000 queued messages of a quiet channel, plus those about existing entries', async () => {
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

  test('can have at most 20 channels and 20 linked accounts', async () => {
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

  test('can have at most 20 passkeys, 1,000 tags, 50 known devices and one status page of 1,000 entries', async () => {
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

  test('can have at most 1,000 open invitations as an admin', async () => {
    const { screen } = await createSignedInPerson(box, { roles: { Admin: 2 } })
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
