import { beforeEach, describe, expect, test } from 'vitest'
import { dialects, insertEntry, racingDialects } from '../../test/support/database/databases.ts'
import { browser, createSignedInPerson, startSession } from '../../test/support/people.ts'
import { closeAfterwards, recordEvents, toolbox } from '../../test/support/toolbox.ts'
import type { Notice } from '../platform/notice.ts'
import { days, minutes, seconds } from '../shared/time.ts'
import type { InboxItem } from './contract.ts'
import { announce } from './inbox.ts'
import { claimMissed } from './toasts.ts'

const path = '/api/v1/user/inbox'
type Person = Awaited<ReturnType<typeof createSignedInPerson>>
type Said = { type?: 'failing' | 'recovered' | 'blocked'; id?: string; name?: string; cause?: string }

const changeOf = (
  ownerId: string,
  since: number,
  { type = 'failing', id = 'e', name = 'shop', cause = 'answered 503' }: Said = {},
): Notice => ({
  ...{ type, ownerId, since, cause },
  entry: { id, tool: 'keepalive', name, about: 'shop.example.com', url: 'https://shop.example.com' },
})

describe.each(dialects)('the inbox on %s', async (dialect) => {
  let ada: Person
  const box = closeAfterwards(await toolbox(dialect))
  beforeEach(async () => {
    // Keeps notices and announcements of one test out of the next.
    box.pass(minutes(1))
    ada = await createSignedInPerson(box)
  })

  const say = (notices: readonly Notice[]) => box.db.q.transaction().execute((tx) => box.context.notify(tx, notices))
  const about = (said?: Said) => changeOf(ada.id, box.now(), said)
  const account = (message: string): Notice => ({ type: 'account', userId: ada.id, message })
  const read = async ({ screen }: Person = ada, query = ''): Promise<{ unread: number; items: InboxItem[] }> => {
    const { status, body } = await screen.get(`${path}${query}`)
    expect(status).toBe(200)
    return body
  }
  const messages = async (who?: Person) => (await read(who)).items.map(({ message }) => message)

  test('lists notices and announcements, newest first, with their entries', async () => {
    await insertEntry(box.db, 'mine', ada.id)
    await say([about({ id: 'mine' })])
    box.pass(seconds(1))
    await say([account('Your password was changed.'), { type: 'operator', message: 'The disk is full.' }])
    box.pass(seconds(1))
    await announce(box.db.q, { type: 'info', message: 'Back at nine.' }, 'Grace', box.now())
    const { unread, items } = await read()
    expect(unread).toBe(3)
    const at = box.now()
    expect(items).toMatchObject([
      { type: 'announcement', message: 'Back at nine.', entry: null, at, readAt: null },
      { type: 'account', message: 'Your password was changed.', entry: null, at: at - 1_000, readAt: null },
      {
        type: 'failing',
        message: 'shop is failing (answered 503).',
        entry: { tool: 'keepalive', id: 'mine' },
        at: at - 2_000,
      },
    ])
    expect(await messages(await createSignedInPerson(box))).toEqual(['Back at nine.'])
  })

  test('shows server problems only to active admins of level 2', async () => {
    const [boss, viewer] = [
      await createSignedInPerson(box, { roles: { Admin: 2 } }),
      await createSignedInPerson(box, { roles: { Admin: 1, Tools: 2 } }),
    ]
    await say([{ type: 'operator', message: 'The disk is full.' }])
    expect((await read(boss)).items).toMatchObject([{ type: 'operator', message: 'The disk is full.' }])
    expect(await messages(viewer)).toEqual([])
  })

  test('keeps an item without its link once the entry is deleted or has another owner', async () => {
    for (const id of ['gone', 'given']) {
      await insertEntry(box.db, id, ada.id)
      box.pass(seconds(20))
      await say([about({ id, name: id })])
    }
    const all = await createSignedInPerson(box, { roles: { Tools: 2 } })
    await box.db.q.deleteFrom('entry').where('id', '=', 'gone').execute()
    await box.db.q.updateTable('entry').set({ owner_id: all.id }).where('id', '=', 'given').execute()
    expect((await read()).items.map(({ message, entry }) => [message, entry])).toEqual([
      ['given is failing (answered 503).', null],
      ['gone is failing (answered 503).', null],
    ])
  })

  test('groups changes within ten seconds into one item per type, which names the first ten entries', async () => {
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => about({ id: `e${from + n}`, name: `site ${from + n}` }))
    const first = await say([about({ id: 'e0', name: 'site 0' })])
    expect(first).toMatchObject([{ type: 'notification', id: expect.any(String), data: { type: 'warning' } }])
    box.pass(seconds(4))
    await say(many(1, 6))
    box.pass(seconds(5))
    const [last, ...rest] = await say([...many(7, 993), about({ type: 'recovered', name: 'blog' })])
    const sites = Array.from({ length: 10 }, (_, n) => `site ${n}`).join(', ')
    expect(await messages()).toEqual(
      expect.arrayContaining([`1,000 entries are failing: ${sites} and 990 more.`, 'blog has recovered.']),
    )
    expect((await read()).items).toHaveLength(2)
    // Screens update the toast that they show, and get no second one.
    expect(last).toMatchObject({ data: { grows: true, id: first[0]?.id } })
    expect(last?.id).toBeUndefined()
    expect(rest).toMatchObject([{ data: { type: 'success', message: 'blog has recovered.' } }])
    box.pass(seconds(2))
    await say([about({ id: 'late', name: 'late' })])
    expect((await messages())[0]).toBe('late is failing (answered 503).')
  })

  test('counts an entry once, even if it is reported again after others', async () => {
    const [shop, blog, wiki] = [
      about({ id: 'shop' }),
      about({ id: 'blog', name: 'blog' }),
      about({ id: 'wiki', name: 'wiki' }),
    ]
    await say([shop])
    await say([blog, shop])
    await say([shop])
    await say([wiki, blog, wiki])
    expect(await messages()).toEqual(['3 entries are failing: shop, blog and wiki.'])
    box.pass(seconds(11))
    await say([shop])
    expect((await messages())[0]).toBe('shop is failing (answered 503).')
  })

  test('repeats no sentence, and joins several sentences about an account', async () => {
    await say([about({ id: 'e', cause: 'answered 500.' })])
    await say([about({ id: 'e', cause: 'answered 502' })])
    await say([account('A.'), account('B.'), account('A.')])
    await say([account('B.'), ...Array.from({ length: 10 }, (_, n) => account(`${n}.`))])
    expect((await messages()).toSorted()).toEqual([
      'A. B. 0. 1. 2. 3. 4. 5. 6. 7. And 2 more.',
      'shop is failing (answered 502).',
    ])
  })

  test('shortens long names and causes, and notifies the other users if one was deleted', async () => {
    const undeliverable: Notice = { type: 'account', userId: 'nobody', message: 'Hello?' }
    await say([undeliverable, about({ name: 'n'.repeat(200), cause: 'c'.repeat(2_000) })])
    expect(await messages()).toEqual([`${'n'.repeat(79)}… is failing (${'c'.repeat(249)}…).`])
  })

  test('is marked as read up to an instant on all screens, and an item that grows is unread again', async () => {
    await say([account('Old.')])
    box.pass(seconds(20))
    await say([about()])
    await announce(box.db.q, { type: 'info', message: 'Hello' }, 'Grace', box.now())
    const until = box.now()
    box.pass(seconds(1))
    const { recorded, stop } = recordEvents(box.context)
    expect((await ada.screen.post(`${path}/read`, { until: until - 1 })).status).toBe(204)
    expect((await read()).unread).toBe(2)
    expect((await ada.screen.post(`${path}/read`, { until })).status).toBe(204)
    expect((await ada.screen.post(`${path}/read`, { until })).status).toBe(204)
    stop()
    const inboxChange = { type: 'inbox', to: { userId: ada.id } }
    expect(recorded).toMatchObject([inboxChange, inboxChange])
    const { unread, items } = await read()
    expect([unread, items.map(({ readAt }) => readAt)]).toEqual([0, Array(3).fill(box.now())])
    expect((await read(await createSignedInPerson(box))).unread).toBe(0)
    await say([about({ id: 'other', name: 'other' })])
    expect(await read()).toMatchObject({ unread: 1, items: [{ message: expect.stringMatching(/^2 entries/) }, {}, {}] })
    for (const body of [{}, { until: 'now' }, { until: -1 }, { until, more: 1 }])
      expect((await ada.screen.post(`${path}/read`, body)).status).toBe(400)
  })

  test('shows no toast for items that are read or have no toast type', async () => {
    await say([account('Quiet.'), about()])
    await say([{ type: 'account', userId: ada.id, message: 'Loud.', toast: 'info' }])
    const missed = () => box.db.q.transaction().execute((tx) => claimMissed(tx, ada.id, box.now()))
    expect((await missed()).map(({ message }) => message).toSorted()).toEqual([
      'Loud.',
      'shop is failing (answered 503).',
    ])
    box.pass(minutes(1))
    await say([about()])
    await ada.screen.post(`${path}/read`, { until: box.now() })
    expect(await missed()).toEqual([])
  })

  test('has complete pages of 50 items, and keeps 1,000 items', async () => {
    const old = Array.from({ length: 1_002 }, (_, n) => ({
      ...{ id: `${ada.id} ${n}`, user_id: ada.id, type: 'info', message: `No. ${n}.`, author: 'ToolBox' },
      ...{ issued_at: box.now() + 10_000 * n, item: 'account' },
    }))
    await box.db.q.insertInto('notification').values(old).execute()
    box.pass(10_000 * old.length)
    await say([account('No. 1002.')])
    const first = await read()
    const second = await read(ada, `?before=${first.items.at(-1)?.at}`)
    expect([first.unread, first.items.length, second.items.length]).toEqual([1_000, 50, 50])
    expect([first.items[0]?.message, second.items[0]?.message]).toEqual(['No. 1002.', 'No. 952.'])
    const { at } = first.items[49]!
    // Items of the same instant stay on one page.
    await box.db.q
      .updateTable('notification')
      .set({ issued_at: at })
      .where('issued_at', '<', at)
      .where('issued_at', '>=', at - 150 * 10_000)
      .execute()
    const many = await read()
    const after = await read(ada, `?before=${many.items.at(-1)?.at}`)
    expect([many.items.length, after.items[0]?.message]).toEqual([200, 'No. 802.'])
    expect((await ada.screen.get(`${path}?before=soon`)).status).toBe(400)
  })

  test('keeps items for 90 days', async () => {
    await say([account('Old.')])
    box.pass(days(90) - 1)
    expect(await messages(await signInAgain())).toEqual(['Old.'])
    box.pass(1)
    expect(await read(await signInAgain())).toEqual({ unread: 0, items: [] })
  })

  /** Ada with a new session, since hers has expired meanwhile. */
  async function signInAgain(): Promise<Person> {
    const { cookie } = await startSession(box.context, box.auth, ada)
    return { ...ada, screen: browser(box.app, '192.0.2.1', cookie) }
  }
})

describe.each(racingDialects)('concurrent notices of several instances on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))

  test('are grouped into one item', async () => {
    const ada = await createSignedInPerson(box)
    const changes = Array.from({ length: 8 }, (_, n) => changeOf(ada.id, box.now(), { id: `e${n}`, name: `site ${n}` }))
    const say = (notice: Notice) => box.db.q.transaction().execute((tx) => box.context.notify(tx, [notice]))
    await Promise.all(changes.map(say))
    const { items } = (await ada.screen.get(path)).body
    expect(items).toHaveLength(1)
    expect(items[0].message).toMatch(/^8 entries are failing: site \d(, site \d){6} and site \d\.$/)
  })
})
