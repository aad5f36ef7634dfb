import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { linkAccount } from '../src/accounts/users/sign-in-methods.ts'
import { minutes } from '../src/shared/time.ts'
import { bothDialects, freshDatabase } from './support/database/databases.ts'
import { type Channelbox, channelbox } from './support/scenes/channel-scene.ts'

/** What keeps each table from growing without end, and which test holds it to that; nothing where no user's call adds rows. */
const bounds: Record<string, readonly [bound: string, test: string | null]> = {
  access_request: ['one a user', 'access.test.ts'],
  api_key: ['50 a user', 'key-life.test.ts'],
  api_key_network: ['50 new ones a key and day, for 400 days, and as long as the key', 'trail.test.ts'],
  audit: ['so many of each kind by one user within a day, for 400 days', 'bounds.test.ts'],
  badge: ['BADGE_NEW_TAGS_PER_HOUR; unclaimed ones of few views are forgotten', 'new-tags.test.ts'],
  badge_day: ['one a tag and day, for 400 days', 'clean-up.test.ts'],
  badge_journal: ['emptied into badge every few seconds', 'view-journal.test.ts'],
  badge_journal_unreadable: ['only what a broken disk made of the journal', null],
  badge_new: ['one a network and minute, for an hour', 'new-tags.test.ts'],
  certificate: ['one an entry', null],
  channel: ['20 a user', 'bounds.test.ts'],
  channel_news: ['1,000 a channel, and one of each type an entry that is there', 'bounds.test.ts'],
  dead_image: ['the images of the last run of an entry', 'dead.test.ts'],
  entry: ['1,000 a user; those with Admin Access to the tools make more', 'import.test.ts'],
  image_copy: ['1 MB an entry', 'compare.test.ts'],
  inbox_group: ['one a user and type of news', 'inbox.test.ts'],
  incident: ['1,000 an entry', 'health.test.ts'],
  invite: ['1,000 open ones; 1,000 a day by one admin, until 30 days after their end', 'limits.test.ts'],
  invite_use: ['100 an invitation', 'invites.test.ts'],
  job: ['a few an entry, a delivery or a channel; spare ones of a channel go when one of them runs', 'bounds.test.ts'],
  known_device: ['50 a user', 'sign-in-news.test.ts'],
  known_network: ['20 a user', 'guess-limit.test.ts'],
  mail: ['one a kind, address and hour, 60 invitations an hour by one admin; for a day', 'mail.test.ts'],
  migration: ['one a migration', null],
  migration_lock: ['one', null],
  migration_version: ['one a migration', null],
  notification: ['1,000 a user, and 200 announcements a day by one admin; for 90 days', 'inbox.test.ts'],
  notification_seen: ['one a user and notification', 'audit.test.ts'],
  passkey: ['20 a user', 'passkeys.test.ts'],
  provider_links: ['20 a user', 'bounds.test.ts'],
  purge: ['an image within 10 minutes', 'fresh.test.ts'],
  purge_image: ['the images of the last run of an entry', 'run.test.ts'],
  purge_page: ['one an entry', 'run.test.ts'],
  rate_limits: ['one a key that is being limited, for 15 minutes', 'guessing-attacks.test.ts'],
  relay: ['one an entry', null],
  relay_card: ['200 an entry, for 30 days', 'send-deploy.test.ts'],
  relay_event: ['10,000 and 32 MB an entry, for 30 days', 'kept.test.ts'],
  run: ['200 an entry', 'entries.test.ts'],
  run_day: ['400 an entry', 'entries.test.ts'],
  second_factor: ['one a user', 'second-factor.test.ts'],
  sessions: ['20 a user', 'trail.test.ts'],
  setting: ['a few, by fixed names', null],
  setup_link: ['one a purpose, by the command line', null],
  sign_in_failure: ['500 in 15 minutes besides one for each account, for 30 days', 'trail.test.ts'],
  status_page: ['one a user', 'status-page.test.ts'],
  status_page_entry: ['1,000 a page', 'status-page.test.ts'],
  users: ['one an account of a provider, a use of an invitation, or 20,000 a day by one admin', 'trail.test.ts'],
  verifications: ['40 starts within 10 s from one address, for a day', 'callback.test.ts'],
}

test.each(bothDialects)('every table on %s says what bounds it, and which test knows', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  const tables = (await db.q.introspection.getTables()).map(({ name }) => name)
  await drop()
  // PostgreSQL counts views without a journal.
  const named = Object.keys(bounds).filter((name) => dialect === 'sqlite' || name !== 'badge_journal')
  expect(tables.toSorted()).toEqual(named.toSorted())
  const root = join(import.meta.dirname, '..')
  const there = new Set(globSync('{src,test}/**/*.test.ts', { cwd: root }).map((path) => basename(path)))
  const tests = Object.values(bounds).flatMap(([, file]) => file ?? [])
  expect(tests.filter((file) => !there.has(file))).toEqual([])
})

describe.each(bothDialects)('a user who makes and deletes without end on %s', (dialect) => {
  let box: Channelbox
  beforeEach(async () => {
    box = await channelbox(dialect)
  })
  afterEach(() => box.close())
  const count = async (table: 'audit' | 'channel_news' | 'job' | 'channel' | 'provider_links') =>
    Number(
      (
        await box.db.q
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as('count'))
          .executeTakeFirstOrThrow()
      ).count,
    )
  const quiet = { zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '23:59' }
  const hook = async (more: object = {}) =>
    box.channel(
      'webhook',
      box.services.webhook(() => ''),
      { events: ['failing', 'account'], ...more },
    )

  test('makes 200 keys a day', async () => {
    const path = '/api/v1/user/apikeys'
    let made = 0
    let answer = await box.ada.post(path, { name: 'ci', scopes: ['read'], expiresAt: null })
    for (; answer.status === 201; made++) {
      expect((await box.ada.delete(`${path}?id=${answer.body.id}`)).status).toBe(200)
      answer = await box.ada.post(path, { name: 'ci', scopes: ['read'], expiresAt: null })
    }
    expect([made, answer.status, answer.headers['retry-after']]).toEqual([200, 429, '86400'])
    expect(await count('audit')).toBe(400)
  })

  test('has the newest 1,000 news wait for a quiet channel, and all of entries that are there', async () => {
    await hook({ quiet })
    const { id } = (await box.ada.post('/api/v1/keepalive', { url: 'http://127.0.0.1:1/', interval: 5 })).body
    const news = box.entryNews('failing', 'there')
    if (news.type === 'failing') await box.tell({ ...news, entry: { ...news.entry, id } })
    for (let n = 0; n < 1_100; n += 10) {
      box.pass(1)
      const message = (i: number) => `${n + i} was changed.`
      await box.tell(
        ...Array.from({ length: 10 }, (_, i) => ({
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
})
