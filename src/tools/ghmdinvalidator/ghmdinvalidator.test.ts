import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/databases.ts'
import { type FakeGithub, fakeGithub, pageOf, shapes } from '../../../test/fake-github.ts'
import { type Toolbox, toolbox } from '../../../test/toolbox.ts'
import { hours, minutes, seconds } from '../../shared/time.ts'
import { ghmdinvalidatorServer } from './server.ts'

describe.each(dialects)('the cache invalidator on %s', (dialect) => {
  let box: Toolbox
  let github: FakeGithub
  let ada: ReturnType<Toolbox['as']>
  let boss: ReturnType<Toolbox['as']>
  let serial = 0

  beforeAll(async () => {
    github = await fakeGithub()
    box = await toolbox(dialect, github.env)
    ada = box.as(await box.person('ada'))
    boss = box.as(await box.person('boss', 2))
  })
  afterAll(async () => {
    await box.close()
    await github.close()
  })
  beforeEach(async () => {
    github.forget()
    await box.db.q.deleteFrom('entry').execute()
    await box.db.q.deleteFrom('purge').execute()
  })

  const base = '/api/v1/ghmdinvalidator'
  const origin = (name: string) => `https://img.example/${name}/${serial++}.svg`
  const path = () => `/owner/page${serial++}`
  const create = async (url: string, more: object = {}) => {
    const answer = await ada.post(`${base}/`, { url, ...more })
    expect(answer).toMatchObject({ status: 201 })
    return answer.body as { id: string; hookUrl: string }
  }
  const read = async (id: string) => (await ada.get(`${base}?id=${id}`)).body
  const last = async (id: string) => (await ada.get(`${base}/images?id=${id}`)).body
  const firstRun = async (url: string) => {
    const { id } = await create(url)
    await box.work.runDue()
    const entry = await read(id)
    expect(entry.history).toHaveLength(1)
    return { id, run: entry.history[0], entry }
  }

  describe('a run', () => {
    test.each(shapes)('purges each image of a page of the shape %s once and counts it', async (shape) => {
      const images = ['build', 'cover', 'chart'].map((name) => github.image(origin(name)))
      const { run, entry, id } = await firstRun(github.page(path(), images, shape))
      expect(github.purges().sort()).toEqual(images.sort())
      expect(run).toEqual({ success: true, timestamp: box.now(), duration: 0, status: 3 })
      expect(entry.nextRunAt).toBe(box.now() + hours(12))
      expect((await last(id)).images.map((one: { outcome: string }) => one.outcome)).toEqual(Array(3).fill('purged'))
    })

    test('comes at once and then every 12 hours, and finds the images anew each time', async () => {
      const [name, at] = [origin('build'), path()]
      const old = github.image(name)
      const { id } = await firstRun(github.page(at, [old]))
      github.newKey()
      const young = github.image(name)
      github.page(at, [young])
      box.pass(hours(12) - 1)
      expect(await box.work.runDue()).toBe(0)
      box.pass(1)
      await box.work.runDue()
      expect(github.purges()).toEqual([old, young])
      expect((await read(id)).history).toMatchObject([{ status: 1 }, { status: 1 }])
    })

    test('asks the page once, honestly, and for packed content', async () => {
      const at = path()
      const url = github.page(at, [])
      github.pages.on(at, {
        headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' },
        body: gzipSync(pageOf([github.image(origin('build'))], 'app')),
      })
      expect((await firstRun(url)).run).toMatchObject({ success: true, status: 1 })
      expect(github.pages.visits).toMatchObject([
        { method: 'GET', headers: { 'user-agent': expect.stringMatching(/^ToolBox\//), accept: 'text/html' } },
      ])
      expect(github.pages.visits[0]?.headers['accept-encoding']).toContain('gzip')
      expect(github.api.visits).toEqual([])
    })

    test('of a page without images is a success that says so', async () => {
      const { run, id } = await firstRun(github.page(path(), []))
      expect(run).toMatchObject({ success: true, status: 0, note: 'no cached images on this page' })
      expect(await last(id)).toEqual({ at: box.now(), movedTo: null, images: [] })
    })

    test('that succeeds in part is a FAIL with the count, and says what failed first', async () => {
      const good = Array.from({ length: 5 }, (_, index) => github.image(origin(`good${index}`)))
      const [gone, odd] = [origin('gone'), origin('odd')]
      const bad = [github.image(gone, { status: 404 }), github.image(odd, { body: '{"status":"error"}' })]
      const { run, id } = await firstRun(github.page(path(), [bad[0] ?? '', ...good, bad[1] ?? '']))
      expect(run).toMatchObject({ success: false, status: 5, note: `5 of 7; ${gone}: answered 404` })
      const { images } = await last(id)
      expect(images).toHaveLength(7)
      expect(images[0]).toEqual({ origin: gone, outcome: 'failed', note: 'answered 404' })
      expect(images[6]).toEqual({ origin: odd, outcome: 'failed', note: 'the answer did not say ok' })
      expect(images[1]).toMatchObject({ outcome: 'purged', note: null })
    })

    test.each([
      ['text', { body: 'ok' }],
      ['nothing', { body: '' }],
      ['a number', { body: '1' }],
      ['too much', { body: `{"status":"ok","id":"${'x'.repeat(20_000)}"}` }],
      ['a redirect', { status: 301, headers: { location: '/elsewhere' }, body: '{"status":"ok"}' }],
    ])('counts no purge that was answered with %s', async (_what, reply) => {
      const { run } = await firstRun(github.page(path(), [github.image(origin('build'), reply)]))
      expect(run).toMatchObject({ success: false, status: 0, note: expect.stringMatching(/^0 of 1; /) })
      expect(github.camo.visits).toHaveLength(1)
    })

    test('asks again once after a 5xx or 429, as soon as the proxy says', async () => {
      const ok = { body: '{"status":"ok","id":"1"}' }
      const now = new Date(box.now()).toUTCString()
      const images = [
        github.image(origin('busy'), { status: 503, headers: { 'retry-after': '0' } }, ok),
        github.image(origin('many'), { status: 429, headers: { 'retry-after': now } }, ok),
        github.image(origin('broken'), { status: 500, headers: { 'retry-after': '0' } }),
      ]
      const { run } = await firstRun(github.page(path(), images))
      expect(run).toMatchObject({ success: false, status: 2, note: expect.stringMatching(/^2 of 3; .*answered 500$/) })
      expect(github.purges()).toHaveLength(6)
    })

    test.each([
      ['86400', hours(24)],
      ['60', hours(12)],
      [new Date(Date.UTC(2026, 0, 9, 12)).toUTCString(), undefined],
    ])('told to wait for %s fails, asks no more, and comes back no earlier', async (asked, after) => {
      const many = { status: 429, headers: { 'retry-after': asked } }
      const images = Array.from({ length: 40 }, (_, index) => github.image(origin(`i${index}`), many))
      const { run, entry } = await firstRun(github.page(path(), images))
      expect(run).toMatchObject({ success: false, status: 0 })
      expect(run.note).toMatch(/^0 of 40; https:\/\/img\.example\/i\d+\/\d+\.svg: answered 429, asks to wait \d+ s$/)
      expect(github.purges().length).toBeLessThanOrEqual(8)
      expect(entry.nextRunAt).toBe(after === undefined ? Date.UTC(2026, 0, 9, 12) : box.now() + after)
    })

    test('beside the turns that is told to wait moves the next turn, and only to later', async () => {
      const at = path()
      const { id, entry } = await firstRun(github.page(at, []))
      github.pages.on(at, { status: 429, headers: { 'retry-after': '60' } })
      await ada.post(`${base}/run?id=${id}`)
      await box.work.runDue()
      expect((await read(id)).nextRunAt).toBe(entry.nextRunAt)
      github.pages.on(at, { status: 429, headers: { 'retry-after': '172800' } })
      await ada.post(`${base}/run?id=${id}`)
      await box.work.runDue()
      const after = await read(id)
      expect(after.nextRunAt).toBe(box.now() + hours(48))
      expect(after.history[0]).toMatchObject({ success: false, note: 'GitHub answered 429, asks to wait 172800 s' })
    })

    test('asks the proxy for four images at once at most', async () => {
      let [now, most] = [0, 0]
      const images = Array.from({ length: 12 }, (_, index) =>
        github.image(origin(`i${index}`), async (_visit, response) => {
          most = Math.max(most, ++now)
          await new Promise((resolve) => setTimeout(resolve, 20))
          now -= 1
          response.end('{"status":"ok","id":"1"}')
        }),
      )
      expect((await firstRun(github.page(path(), images))).run).toMatchObject({ status: 12 })
      expect(most).toBe(4)
    })

    test('that breaks on our side is no failure of the page, and is done again with what it has purged', async () => {
      const images = [github.image(origin('a')), github.image(origin('b'))]
      const { id } = await create(github.page(path(), images))
      const { request } = box.kit.outbound
      let left = 2
      const breaking: typeof request = (url, options) => {
        left -= 1
        if (left >= 0) return request(url, options)
        return Promise.resolve({ answered: false, failure: 'internal', note: 'internal: stopped', duration: 0 })
      }
      box.kit.outbound.request = breaking
      await box.work.runDue()
      box.kit.outbound.request = request
      expect((await read(id)).history).toEqual([])
      expect((await last(id)).at).toBeNull()
      box.pass(seconds(30))
      await box.work.runDue()
      expect((await read(id)).history).toMatchObject([{ success: true, status: 2 }])
      expect(github.purges().sort()).toEqual(images.sort())
    })

    test('whose entry is deleted meanwhile leaves nothing behind', async () => {
      const at = path()
      const image = github.image(origin('build'), async (_visit, response) => {
        const [{ id } = { id: '' }] = await box.db.q.selectFrom('entry').select('id').execute()
        expect((await ada.delete(`${base}?id=${id}`)).status).toBe(200)
        response.end('{"status":"ok","id":"1"}')
      })
      await create(github.page(at, [image]))
      await box.work.runDue()
      for (const table of ['job', 'run', 'run_day', 'purge_page', 'purge_image'] as const)
        expect(await box.db.q.selectFrom(table).select('entry_id').execute()).toEqual([])
    })

    test('of one entry beside another run of it leaves the images of one of both', async () => {
      const { id } = await firstRun(github.page(path(), [github.image(origin('a')), github.image(origin('b'))]))
      const perform = () => ghmdinvalidatorServer.schedule?.perform({ url }, box.kit, id)
      const { url } = await read(id)
      const outcomes = await Promise.all(Array.from({ length: 6 }, perform))
      expect(outcomes).toEqual(Array(6).fill({ success: true, count: 2, duration: 0 }))
      expect((await last(id)).images).toHaveLength(2)
    })

    test('of many entries on two instances is done once each', async () => {
      const ids: string[] = []
      const images = Array.from({ length: 6 }, (_, index) => github.image(origin(`i${index}`)))
      for (const image of images) ids.push((await create(github.page(path(), [image]))).id)
      await Promise.all([box.work.runDue(), box.secondWorker().runDue()])
      for (const id of ids) expect((await read(id)).history).toMatchObject([{ success: true, status: 1 }])
      expect(github.purges().sort()).toEqual(images.sort())
    })

    test('by Run now comes beside the turns, also while the entry is inactive', async () => {
      const { id } = await create(github.page(path(), []), { status: false })
      expect(await box.work.runDue()).toBe(0)
      expect((await ada.post(`${base}/run?id=${id}`)).status).toBe(202)
      await box.work.runDue()
      const entry = await read(id)
      expect(entry.history).toHaveLength(1)
      expect(entry.nextRunAt).toBeNull()
    })
  })

  describe('an image that was purged', () => {
    test('within ten minutes is not purged again, by whichever entry, and counts', async () => {
      const image = github.image(origin('shared'))
      await firstRun(github.page(path(), [image]))
      box.pass(minutes(10) - 1)
      const second = await firstRun(github.page(path(), [image]))
      expect(github.purges()).toEqual([image])
      expect(second.run).toMatchObject({ success: true, status: 1 })
      expect((await last(second.id)).images).toMatchObject([{ outcome: 'fresh' }])
      box.pass(1)
      await firstRun(github.page(path(), [image]))
      expect(github.purges()).toEqual([image, image])
      expect(await box.db.q.selectFrom('purge').select('hash').execute()).toHaveLength(1)
    })

    test('at this very moment for another entry is not asked for twice', async () => {
      const image = github.image(origin('shared'), { delay: 50, body: '{"status":"ok","id":"1"}' })
      const ids = []
      for (let count = 0; count < 2; count++) ids.push((await create(github.page(path(), [image]))).id)
      await box.work.runDue()
      expect(github.purges()).toEqual([image])
      for (const id of ids) expect((await read(id)).history).toMatchObject([{ success: true, status: 1 }])
    })

    test('is remembered by every instance, and by the next start', async () => {
      const image = github.image(origin('shared'))
      await firstRun(github.page(path(), [image]))
      const { id } = await create(github.page(path(), [image]))
      await box.secondWorker().runDue()
      expect((await read(id)).history).toMatchObject([{ success: true, status: 1 }])
      expect(github.purges()).toEqual([image])
    })

    test('without success is asked for again by the next run', async () => {
      const image = github.image(origin('flaky'), { status: 404 }, { body: '{"status":"ok","id":"1"}' })
      const { id, run } = await firstRun(github.page(path(), [image]))
      expect(run).toMatchObject({ success: false })
      await ada.post(`${base}/run?id=${id}`)
      await box.work.runDue()
      expect((await read(id)).history[0]).toMatchObject({ success: true, status: 1 })
    })
  })

  describe('a page that cannot be read', () => {
    test.each([
      ['a 404', { status: 404 }, 'not public, or does not exist'],
      ['a sign-in page', { status: 302, headers: { location: '/login?return_to=x' } }, 'not public, or does not exist'],
      ['a 503', { status: 503 }, 'GitHub answered 503'],
      ['a broken connection', 'reset' as const, 'connect: reset'],
      [
        'a redirect elsewhere',
        { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
        'led away from GitHub, to 127.0.0.1:9',
      ],
      ['a redirect to nowhere', { status: 302, headers: { location: 'http://[/' } }, 'a redirect to no address'],
      ['more than 5 MB', { body: 'x'.repeat(5_000_001) }, 'the page is larger than 5 MB'],
    ])('because of %s is a FAIL that says why, and the next turn comes as planned', async (_what, reply, note) => {
      const at = path()
      github.pages.on(at, reply)
      const { run, entry } = await firstRun(github.url + at)
      expect(run).toMatchObject({ success: false, status: 0, note })
      expect(entry.nextRunAt).toBe(box.now() + hours(12))
      expect(github.purges()).toEqual([])
    })

    test('because redirects go round is a FAIL after five of them', async () => {
      const at = path()
      github.pages.on(at, { status: 302, headers: { location: at } })
      expect((await firstRun(github.url + at)).run).toMatchObject({ note: 'too many redirects' })
      expect(github.pages.visits).toHaveLength(6)
    })

    test('keeps what the last page that could be read showed', async () => {
      const [at, name] = [path(), origin('build')]
      const { id } = await firstRun(github.page(at, [github.image(name)]))
      const readAt = box.now()
      github.pages.on(at, { status: 404 })
      box.pass(hours(12))
      await box.work.runDue()
      expect((await read(id)).lastRun).toMatchObject({ success: false, status: 0 })
      expect(await last(id)).toMatchObject({ at: readAt, images: [{ origin: name }] })
    })

    test('for a moment is asked for once more when GitHub says when', async () => {
      const at = path()
      const url = github.page(at, [])
      github.pages.on(at, { status: 503, headers: { 'retry-after': '0' } }, { body: pageOf([], 'plain') })
      expect((await firstRun(url)).run).toMatchObject({ success: true })
      expect(github.pages.visits).toHaveLength(2)
    })
  })

  test('a page that was renamed is followed, and its new address offered', async () => {
    const [from, to] = [path(), path()]
    const image = github.image(origin('build'))
    const url = github.page(to, [image])
    github.pages.on(from, { status: 301, headers: { location: to } })
    const { run, id } = await firstRun(github.url + from)
    expect(run).toMatchObject({ success: true, status: 1, note: `moved to ${url}` })
    expect((await last(id)).movedTo).toBe(url)
    await ada.patch(base, { id, url })
    await box.work.runDue()
    expect((await last(id)).movedTo).toBeNull()
  })

  describe('when a repository’s front page does not tell', () => {
    test.each([
      ['shows no image', { body: pageOf([], 'plain') }],
      ['fails', { status: 500 }],
    ])('because it %s, its readme is asked for', async (_why, reply) => {
      const at = path()
      const image = github.image(origin('build'))
      github.pages.on(at, reply)
      github.readme(at.slice(1), [image])
      expect((await firstRun(github.url + at)).run).toMatchObject({ success: true, status: 1 })
      expect(github.purges()).toEqual([image])
      expect(github.api.visits).toMatchObject([{ headers: { accept: 'application/vnd.github.html+json' } }])
      expect(github.api.visits[0]?.headers).not.toHaveProperty('authorization')
    })

    test('a readme of a renamed repository is found, and no redirect leaves the API', async () => {
      const [at, gone] = [path(), path()]
      github.page(at, [])
      github.page(gone, [])
      github.readme('x/renamed', [github.image(origin('build'))])
      github.api.on(`/repos${at}/readme`, { status: 301, headers: { location: '/repos/x/renamed/readme' } })
      github.api.on(`/repos${gone}/readme`, { status: 301, headers: { location: `${github.camo.origin}/stolen` } })
      expect((await firstRun(github.url + at)).run).toMatchObject({ status: 1 })
      expect((await firstRun(github.url + gone)).run).toMatchObject({ success: true, status: 0 })
      expect(github.camo.visits.filter(({ path }) => path === '/stolen')).toEqual([])
    })

    test('a file, wiki, profile or a page nobody may see has no readme to ask for', async () => {
      for (const at of [`${path()}/wiki`, `${path()}/blob/main/a.md`, `/somebody${serial}`])
        await firstRun(github.page(at, []))
      github.pages.on('/owner/hidden', { status: 404 })
      await firstRun(`${github.url}/owner/hidden`)
      expect(github.api.visits).toEqual([])
    })
  })

  describe('the calls', () => {
    test('take pages of GitHub and of its gists, and no other address', async () => {
      await create(`${github.gistUrl}/owner/1`)
      const host = new URL(github.url).host
      const why = `Give a page of ${host} or gist.${host}, such as ${github.url}/owner/repository.`
      const refused = ['https://example.com/owner', github.url, `${github.url}/`, `${github.api.origin}/owner`]
      for (const url of refused)
        expect(await ada.post(`${base}/`, { url })).toMatchObject({
          status: 400,
          body: { error: why, fields: { url: why } },
        })
      const { id } = await create(github.page(path(), []))
      expect(await ada.patch(base, { id, url: 'https://example.com/owner' })).toMatchObject({ status: 400 })
      expect(await ada.post(`${base}/`, { url: 'no address' })).toMatchObject({
        status: 400,
        body: { fields: { url: expect.any(String) } },
      })
      expect(await ada.post(`${base}/`, {})).toMatchObject({
        status: 400,
        body: { fields: { url: 'Give an address.' } },
      })
    })

    test('give an entry with a secret address of its own, which no change takes away', async () => {
      const { id, hookUrl } = await create(github.page(path(), []))
      expect(hookUrl).toMatch(/^http:\/\/localhost:3000\/hooks\/ghmd\/[\w-]{43}$/)
      expect((await create(github.page(path(), []))).hookUrl).not.toBe(hookUrl)
      const entry = await read(id)
      const answer = await ada.patch(base, { ...entry, hookUrl: 'http://evil.example/', url: github.page(path(), []) })
      expect(answer).toMatchObject({ status: 200, body: { hookUrl } })
      expect(entry).not.toHaveProperty('token')
      expect(entry).not.toHaveProperty('interval')
      const { settings, address } = await box.db.q
        .selectFrom('entry')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      expect(settings + address).not.toContain(hookUrl.split('/').at(-1))
    })

    test('list entries without their history, change them and delete them', async () => {
      const { id } = await create(github.page(path(), []))
      const [item] = (await ada.get(`${base}/list`)).body
      expect(item).toMatchObject({
        id,
        status: true,
        owner: 'ada@example.com',
        lastRun: null,
        hookUrl: expect.any(String),
      })
      expect(item).not.toHaveProperty('history')
      expect(await ada.patch(base, { id, status: false })).toMatchObject({
        status: 200,
        body: { status: false, nextRunAt: null },
      })
      expect(await ada.delete(`${base}?id=${id}`)).toMatchObject({ status: 200, body: { id } })
      expect((await ada.get(`${base}?id=${id}`)).status).toBe(404)
    })

    test('show nothing of another’s entry but to Tools 2', async () => {
      const { id } = await create(github.page(path(), [github.image(origin('build'))]))
      await box.work.runDue()
      const eve = box.as(await box.person(`eve${serial++}`))
      const nobody = box.as(await box.person(`nobody${serial++}`, 0))
      for (const answer of [
        await eve.get(`${base}?id=${id}`),
        await eve.get(`${base}/images?id=${id}`),
        await eve.post(`${base}/run?id=${id}`),
        await eve.patch(base, { id, status: false }),
        await eve.delete(`${base}?id=${id}`),
      ])
        expect(answer).toMatchObject({ status: 404, body: { error: 'Entry not found.' } })
      expect((await boss.get(`${base}/images?id=${id}`)).body.images).toHaveLength(1)
      for (const answer of [
        await nobody.get(`${base}/images?id=${id}`),
        await nobody.post(`${base}/preview`, { url: github.url }),
      ])
        expect(answer.status).toBe(403)
    })
  })
})
