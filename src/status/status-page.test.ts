import { brotliDecompressSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Dialect, dialects, racingDialects, waitForLock } from '../../test/support/database/databases.ts'
import { keepaliveScene } from '../../test/support/scenes/keepalive-scene.ts'
import { days, minutes, seconds } from '../shared/time.ts'
import { cleanUpSlugs } from './store.ts'

const path = '/api/v1/user/status'

const pageEntry = (entry: { id: string }, more: object = {}) => ({ tool: 'keepalive', id: entry.id, ...more })

/** Ada, who has no status page before each test. */
async function statusScene(dialect: Dialect) {
  const scene = await keepaliveScene(dialect)
  const { box, target, ada, create } = scene
  beforeEach(async () => {
    await box.db.q.deleteFrom('status_page').execute()
    // Let cached pages expire.
    box.pass(seconds(11))
  })
  return {
    ...scene,
    put: (body: object) => ada.put(path, { slug: 'ada', title: "Ada's services", entries: [], ...body }),
    /** Creates an entry of Ada's that fails at once; returns it and its incident. */
    async createFailing(path: string) {
      target.on(path, { status: 500 })
      const shop = await create(path, { name: 'Shop', notifyAfter: 1 })
      await box.work.runDue()
      const [incident] = (await ada.get(`/api/v1/incidents?id=${shop.id}`)).body
      return { shop, incident }
    },
  }
}

describe.each(dialects)('a status page on %s', async (dialect) => {
  const { box, target, ada, adaUser, create, put, createFailing } = await statusScene(dialect)

  const visit = (url: string, headers: Record<string, string> = {}) => box.app.inject({ url, headers })
  const pass = async (ms: number) => {
    box.pass(ms)
    await box.work.runDue()
  }

  test('shows the chosen entries in order, and a URL only where the owner turned that on', async () => {
    const shop = await create('/200', { name: 'Shop' })
    const hidden = await create('/200?key=1', { name: 'Hidden' })
    const unnamed = await create('/404?visible')
    expect((await ada.get(path)).body).toMatchObject({ slug: null, entries: [], url: null })
    const saved = await put({
      text: 'See https://example.com/help?a=1&b=2.\n\n<b>Bold</b>',
      entries: [pageEntry(unnamed, { showUrl: true }), pageEntry(shop)],
    })
    expect(saved).toMatchObject({
      status: 200,
      body: {
        slug: 'ada',
        url: 'http://localhost:3000/status/ada',
        entries: [
          pageEntry(unnamed, { showUrl: true, name: null, entryName: null }),
          pageEntry(shop, { showUrl: false, name: null, entryName: 'Shop' }),
        ],
      },
    })
    // A page can be saved as it was read.
    expect((await put(saved.body)).body.entries).toEqual(saved.body.entries)
    expect((await ada.get(path)).body.entries).toEqual(saved.body.entries)
    await box.work.runDue()

    const { statusCode, headers, body } = await visit('/status/ada')
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(body).toContain('<h1 dir="auto">Ada\'s services</h1>')
    expect(body.indexOf('>Entry 1<')).toBeLessThan(body.indexOf('>Shop<'))
    expect(body).toContain(`href="${target.origin}/404"`)
    expect(body).toContain('<a href="https://example.com/help?a=1&amp;b=2"')
    expect(body).toContain('&lt;b&gt;Bold&lt;/b&gt;')
    expect(body).toContain('1 of 2 services is failing')
    const feed = (await visit('/status/ada/feed.xml')).body
    const json = await visit('/status/ada.json')
    expect(json.json()).toMatchObject({
      title: "Ada's services",
      state: 'failing',
      total: 2,
      entries: [
        { name: 'Entry 1', state: 'failing', url: `${target.origin}/404` },
        { name: 'Shop', state: 'up', uptime: null },
      ],
      incidents: [],
    })
    const secrets = ['Hidden', 'key=1', shop.id, hidden.id, unnamed.id, 'ada@example.com', `${target.origin}/200`]
    for (const text of [body, feed, json.body]) for (const secret of secrets) expect(text).not.toContain(secret)
  })

  test.each(['login', 'login2', 'sign-in-', 'l0gin', 'sign-up', 'account', 'security-1', 'signln', 'api--'])(
    'cannot change its address to %s, which looks reserved, but keeps it if it already has it',
    async (slug) => {
      const { status, body } = await put({ slug })
      expect([status, body.fields]).toEqual([400, { slug: 'This address is reserved. Choose another one.' }])
      await put({})
      await box.db.q.updateTable('status_page').set({ slug }).execute()
      expect((await put({ slug, title: 'Renamed' })).status).toBe(200)
    },
  )

  test.each(['login-page', 'mine2', 'userland'])('can get the address %s', async (slug) => {
    expect((await put({ slug })).status).toBe(200)
  })

  test('shows incidents with fixed causes from start to end, in a feed with stable ids', async () => {
    target.on('/flaky', { status: 200 })
    const shop = await create('/flaky', { name: 'Shop & Co', interval: 5, notifyAfter: 1 })
    await put({ entries: [pageEntry(shop)] })
    await box.work.runDue()
    expect((await visit('/status/ada')).body).toContain('The service is operational')
    target.on('/flaky', { status: 500 })
    await pass(minutes(5))
    const openedAt = box.now()
    const open = await visit('/status/ada')
    expect(open.body).toContain('The service is down')
    expect(open.body).toContain('<h2>Current incidents</h2>')
    expect(open.body).toContain('Shop &amp; Co</h3><b>Down for 1 minute</b>')
    expect(open.body).toContain('<span>Answered with an error</span>')
    expect(open.body).not.toContain('500<')
    const began = (await visit('/status/ada/feed.xml')).body
    expect(began).toContain('<title>Shop &amp; Co: down</title>')
    target.on('/flaky', { status: 200 })
    await pass(minutes(5))
    const past = (await visit('/status/ada')).body
    expect(past).toContain('The service is operational')
    expect(past).toContain('Shop &amp; Co</strong> was down for 5 minutes')
    const { headers, body: ended } = await visit('/status/ada/feed.xml')
    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8')
    expect(ended).toContain('Answered with an error. It lasted 5 minutes, since ')
    const ids = (feed: string) => [...feed.matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id)
    expect(ids(ended)).toHaveLength(3)
    expect(ids(ended)).toEqual([ids(began)[0], ids(ended)[1], ids(began)[1]])
    expect((await visit('/status/ada.json')).json().incidents).toEqual([
      {
        ...{ name: 'Shop & Co', cause: 'Answered with an error', openedAt, closedAt: box.now() },
        ...{ note: null, notedAt: null },
      },
    ])
  })

  test('shows public names in place of own ones, and escapes markup in them', async () => {
    const shop = await create('/200', { name: 'srv-shop-eu-2' })
    const blog = await create('/200', { name: 'Blog' })
    const entries = [pageEntry(shop, { name: ' Shop <b>&amp;</b> ' }), pageEntry(blog, { name: '' })]
    const saved = await put({ entries })
    expect(saved.body.entries).toMatchObject([
      { name: 'Shop <b>&amp;</b>', entryName: 'srv-shop-eu-2' },
      { name: null, entryName: 'Blog' },
    ])
    expect((await put(saved.body)).body.entries).toEqual(saved.body.entries)
    const { body } = await visit('/status/ada')
    expect(body).toContain('>Shop &lt;b&gt;&amp;amp;&lt;/b&gt;<')
    expect(body).toContain('>Blog<')
    for (const url of ['/status/ada', '/status/ada/feed.xml', '/status/ada.json'])
      expect((await visit(url)).body).not.toContain('srv-shop')
    for (const name of ['x'.repeat(81), 'x'.repeat(10_000), 'a\u202eb', '\u200b', 7]) {
      const { status, body: refused } = await put({ entries: [pageEntry(shop, { name })] })
      expect([status, Object.keys(refused.fields)[0]]).toEqual([400, expect.stringMatching(/^entries/)])
    }
  })

  test("shows the owner's note on an incident, and rejects notes of other users", async () => {
    const { shop, incident } = await createFailing('/told')
    await put({ entries: [pageEntry(shop)] })
    const openedAt = new Date(box.now()).toISOString()
    expect(incident).toMatchObject({ note: null, notedAt: null })
    const note = (by: typeof ada, text: unknown, id = incident.id) => by.patch('/api/v1/incidents', { id, note: text })
    const boss = box.as(await box.createPerson(`noting-boss-${dialect}`, 2))
    const stranger = box.as(await box.createPerson(`noting-stranger-${dialect}`))
    expect([(await note(boss, 'Mine')).status, (await note(stranger, 'Mine')).status]).toEqual([403, 404])
    expect((await note(ada, 'Unknown', 'none')).status).toBe(404)
    for (const wrong of ['x'.repeat(281), 'x'.repeat(10_000), 'a\u202eb', 'a\nb', 7])
      expect((await note(ada, wrong)).status).toBe(400)
    expect((await visit('/status/ada')).body).not.toContain('Mine')
    box.pass(minutes(3))
    const text = 'Back by 15:00 <b>UTC</b>. See https://example.com/help.'
    expect((await note(ada, ` ${text} `)).body).toEqual({ id: incident.id, note: text, notedAt: box.now() })
    const { body } = await visit('/status/ada')
    expect(body).toContain('Back by 15:00 &lt;b&gt;UTC&lt;/b&gt;. See <a href="https://example.com/help"')
    expect((await visit('/status/ada.json')).json().incidents).toMatchObject([{ note: text, notedAt: box.now() }])
    const feed = (await visit('/status/ada/feed.xml')).body
    expect(feed).toContain('Back by 15:00')
    const times = (name: string) => [...feed.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'g'))].map(([, at]) => at)
    const notedAt = new Date(box.now()).toISOString()
    expect([times('updated'), times('published')]).toEqual([[notedAt, notedAt], [openedAt]])
    expect((await note(ada, '  ')).body).toEqual({ id: incident.id, note: null, notedAt: null })
    expect((await visit('/status/ada')).body).not.toContain('Back by')
  })

  test("does not show the notes of an entry's former owner", async () => {
    const { shop, incident } = await createFailing('/given')
    await ada.patch('/api/v1/incidents', { id: incident.id, note: 'Back by 15:00' })
    const bob = box.as(await box.createPerson(`noted-bob-${dialect}`))
    const boss = box.as(await box.createPerson(`noted-boss-${dialect}`, 2))
    await boss.patch('/api/v1/keepalive', { id: shop.id, owner: `noted-bob-${dialect}@example.com` })
    await bob.put(path, { slug: `noted-bob-${dialect}`, title: "Bob's", entries: [pageEntry(shop)] })
    const { incidents } = (await visit(`/status/noted-bob-${dialect}.json`)).json()
    expect(incidents).toMatchObject([{ note: null, notedAt: null }])
  })

  test('the preview shows what visitors would see, and only entries of the user', async () => {
    const shop = await create('/200?key=1', { name: 'srv-shop', notifyAfter: 1 })
    await put({ title: 'Public', entries: [] })
    const draft = { title: 'Draft', text: 'Not yet.', entries: [pageEntry(shop, { name: 'Shop' })] }
    const { status, body } = await ada.post(`${path}/preview`, draft)
    expect(status).toBe(200)
    for (const word of ['>Draft<', 'Not yet.', '>Shop<']) expect(body.html).toContain(word)
    for (const secret of ['srv-shop', shop.id, 'key=1', target.origin]) expect(body.html).not.toContain(secret)
    expect((await visit('/status/ada')).body).not.toMatch(/Draft|Shop/)
    const eve = box.as(await box.createPerson(`previewing-${dialect}`))
    expect((await eve.post(`${path}/preview`, draft)).body.html).not.toMatch(/srv-shop|>Shop</)
    expect((await eve.get(path)).body.title).toBe('')
    expect((await ada.post(`${path}/preview`, { ...draft, title: '' })).status).toBe(400)
    await put({ ...draft, slug: 'ada' })
    const saved = (await visit('/status/ada')).body
    const services = /<ul class="e".*?<\/ul>/s
    expect(services.exec(saved)?.[0]).toBe(services.exec(body.html)?.[0])
  })

  test('is a 404 without an active owner with the role, and shows no entries that were given away or deleted', async () => {
    const [shop, blog] = [await create('/200', { name: 'Shop' }), await create('/200', { name: 'Blog' })]
    await put({ entries: [pageEntry(shop), pageEntry(blog)] })
    const { id: userId } = adaUser
    const status = async () => (await visit('/status/ada')).statusCode
    const user = (change: object) => box.db.q.updateTable('users').set(change).where('id', '=', userId).execute()
    expect(await status()).toBe(200)
    for (const change of [{ status: 1 }, { status: 0 }, { status: 2, roles: '{"Admin":2,"Tools":0}' }]) {
      await user(change)
      box.pass(seconds(11))
      for (const url of ['/status/ada', '/status/ada/feed.xml', '/status/ada.json'])
        expect([url, (await visit(url)).statusCode]).toEqual([url, 404])
    }
    await user({ roles: '{"Admin":0,"Tools":1}' })
    expect(await status()).toBe(200)

    const boss = box.as(await box.createPerson(`boss-${dialect}`, 2))
    await boss.patch('/api/v1/keepalive', { id: shop.id, owner: `boss-${dialect}@example.com` })
    await ada.delete(`/api/v1/keepalive?id=${blog.id}`)
    const { body } = await visit('/status/ada')
    expect(body).not.toMatch(/Shop|Blog/)
    await boss.patch('/api/v1/keepalive', { id: shop.id, owner: 'ada@example.com' })
    expect((await ada.get(path)).body.entries).toEqual([])

    expect((await ada.delete(path)).status).toBe(200)
    expect([await status(), (await ada.delete(path)).status]).toEqual([404, 404])
  })

  test('accepts only free slugs and entries of its owner', async () => {
    const bob = box.as(await box.createPerson(`bob-${dialect}`))
    const entry = await create('/200')
    expect((await put({ entries: [pageEntry(entry)] })).status).toBe(200)
    const mine = { slug: 'bob', title: 'Bob', entries: [] }
    expect(await bob.put(path, { ...mine, slug: 'ada' })).toMatchObject({
      status: 409,
      body: { fields: { slug: 'This address is taken. Choose another one.' } },
    })
    const wrong: [object, string][] = [
      [{ slug: 'Ada' }, 'slug'],
      [{ slug: 'a' }, 'slug'],
      [{ slug: 'a'.repeat(41) }, 'slug'],
      [{ slug: 'admin' }, 'slug'],
      [{ title: ' ' }, 'title'],
      [{ text: '\u0000' }, 'text'],
      [{ entries: [pageEntry(entry)] }, 'entries'],
      [{ entries: [{ tool: 'keepalive', id: 'unknown' }] }, 'entries'],
    ]
    for (const [body, field] of wrong) {
      const answer = await bob.put(path, { ...mine, ...body })
      expect([answer.status, Object.keys(answer.body.fields)]).toEqual([400, [field]])
    }
    const twice = await put({ entries: [pageEntry(entry), pageEntry(entry)] })
    const foreign = await put({ entries: [{ tool: 'ghmdinvalidator', id: entry.id }] })
    expect([twice.status, foreign.status]).toEqual([400, 400])
    expect((await bob.put(path, mine)).status).toBe(200)
    expect((await bob.get(path)).body.slug).toBe('bob')
    await bob.delete(path)
  })

  test('reserves its address for 30 days after it is renamed or deleted, or its owner is deleted', async () => {
    const [bob, eve] = [await box.createPerson(`bob2-${dialect}`), await box.createPerson(`eve-${dialect}`)].map(box.as)
    const leaver = await box.createPerson(`leaver-${dialect}`)
    const take = async (by: typeof ada | undefined, slug: string) =>
      (await by!.put(path, { slug, title: 'Mine', entries: [] })).status
    const passDays = async (count: number) => {
      for (let day = 0; day < count; day++) {
        box.pass(days(1))
        await cleanUpSlugs(box.context)
      }
      // Extend the sessions, so that the users stay signed in.
      const at = box.db.timestamp(box.now())
      const expires_at = box.db.timestamp(box.now() + days(400))
      await box.db.q.updateTable('sessions').set({ created_at: at, updated_at: at, expires_at }).execute()
    }
    await take(bob, 'bobs-old')
    await take(box.as(leaver), 'leavers')
    // As in a database from before addresses were recorded.
    await box.db.q.deleteFrom('status_slug').execute()
    await passDays(30)
    expect([await take(bob, 'bobs-new'), await take(eve, 'bobs-old')]).toEqual([200, 409])
    await bob!.delete(path)
    await box.db.q.deleteFrom('users').where('id', '=', leaver.id).execute()
    await passDays(30)
    for (const slug of ['bobs-old', 'bobs-new', 'leavers']) expect([slug, await take(eve, slug)]).toEqual([slug, 409])
    expect([await take(bob, 'bobs-old'), await take(bob, 'bobs-new')]).toEqual([200, 200])
    await passDays(1)
    expect([await take(eve, 'leavers'), await take(eve, 'bobs-old'), await take(eve, 'bobs-new')]).toEqual([
      200, 409, 409,
    ])
    await passDays(31)
    expect([await take(eve, 'bobs-old'), await take(eve, 'bobs-new')]).toEqual([200, 409])
    const reserved = await box.db.q.selectFrom('status_slug').select('slug').orderBy('slug').execute()
    expect(reserved.map(({ slug }) => slug)).toEqual(['bobs-new', 'bobs-old', 'leavers'])
  })

  test('is cached for some seconds for all visitors, until its owner changes it', async () => {
    const entry = await create('/200', { name: 'Shop' })
    await put({ entries: [pageEntry(entry)] })
    const first = await visit('/status/ada', { 'accept-encoding': 'br' })
    expect(first.headers).toMatchObject({
      'cache-control': 'public, max-age=0, s-maxage=10',
      'content-encoding': 'br',
      vary: 'Accept-Encoding',
    })
    expect(first.headers['set-cookie']).toBeUndefined()
    expect(first.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; font-src 'self'; img-src data:/,
    )
    const html = brotliDecompressSync(first.rawPayload).toString()
    expect(html).toContain('Shop')
    const conditional = { 'if-none-match': String(first.headers.etag) }
    expect(await visit('/status/ada', conditional)).toMatchObject({ statusCode: 304, body: '' })

    await box.db.q.updateTable('entry').set({ name: 'Store' }).execute()
    expect((await visit('/status/ada')).body).toBe(html)
    box.pass(seconds(11))
    expect((await visit('/status/ada')).body).toContain('Store')
    await ada.patch('/api/v1/keepalive', { id: entry.id, name: 'Market' })
    expect((await visit('/status/ada', conditional)).body).toContain('Market')
    await put({ title: 'New', entries: [pageEntry(entry)] })
    expect((await visit('/status/ada', conditional)).body).toContain('<title>New</title>')
  })
})

describe.each(racingDialects)('concurrent changes of a status page on %s', async (dialect) => {
  const { box, ada, create, put, createFailing } = await statusScene(dialect)

  test('rejects a note that its writer saves while the entry is being given away', async () => {
    const { shop, incident } = await createFailing('/giving')
    const bob = await box.createPerson('given-bob')
    let saving: Promise<{ status: number }> | undefined
    await box.db.q.transaction().execute(async (q) => {
      await q.updateTable('entry').set({ owner_id: bob.id }).where('id', '=', shop.id).execute()
      saving = ada.patch('/api/v1/incidents', { id: incident.id, note: 'Back by 15:00' })
      // SQLite blocks all other writers meanwhile; PostgreSQL shows which connections wait for a lock.
      if (dialect === 'postgres') await waitForLock(box.db.q, saving)
    })
    expect((await saving)?.status).toBe(404)
    expect((await box.as(bob).get(`/api/v1/incidents?id=${shop.id}`)).body).toMatchObject([{ note: null }])
  })

  test.each(['deleted', 'given away'])('rejects an entry that is being %s while the page is saved', async (how) => {
    const { id } = await create('/200')
    const bob = await box.createPerson(`${how.replaceAll(' ', '-')}-to-bob`)
    let saving: Promise<{ status: number; body: { fields: object } }> | undefined
    await box.db.q.transaction().execute(async (q) => {
      if (how === 'deleted') await q.deleteFrom('entry').where('id', '=', id).execute()
      else await q.updateTable('entry').set({ owner_id: bob.id }).where('id', '=', id).execute()
      saving = put({ entries: [pageEntry({ id })] })
      if (dialect === 'postgres') await waitForLock(box.db.q, saving)
    })
    expect(await saving).toMatchObject({ status: 400, body: { fields: { entries: expect.any(String) } } })
  })

  test('rejects a save with ifUpdatedAt if the page was saved or deleted since', async () => {
    const first = await put({ ifUpdatedAt: 0 })
    const { updatedAt } = first.body
    const both = await Promise.all(['One', 'Two'].map((title) => put({ title, ifUpdatedAt: updatedAt })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const { body: current } = await ada.get(path)
    const late = both.find(({ status }) => status === 409)
    expect(late?.body).toEqual({ error: 'This status page was changed in the meantime.', current })
    expect(current.title).toBe(both.find(({ status }) => status === 200)?.body.title)
    // A tab that was opened when there was no page.
    expect((await put({ ifUpdatedAt: 0 })).status).toBe(409)
    expect((await put({ title: 'Last', ifUpdatedAt: current.updatedAt })).status).toBe(200)
    await ada.delete(path)
    expect((await put({ ifUpdatedAt: current.updatedAt })).status).toBe(404)
    expect((await ada.get(path)).body.slug).toBeNull()
  })
})
