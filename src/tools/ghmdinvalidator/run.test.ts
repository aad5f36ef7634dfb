import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { changeSettings, dialects, racingDialects, waitForLock } from '../../../test/support/database/databases.ts'
import { pageOf, shapes } from '../../../test/support/fakes/fake-github.ts'
import { base, ghmdScene } from '../../../test/support/scenes/ghmd-scene.ts'
import { hours, seconds } from '../../shared/time.ts'
import { server as ghmdinvalidatorServer } from './server.ts'

describe.each(dialects)('a run on %s', async (dialect) => {
  const { github, box, ada, create, read, last, origin, path, firstRun, runNow } = await ghmdScene(dialect)

  test.each(shapes)('purges and counts each image once on a page of shape %s', async (shape) => {
    const images = ['build', 'cover', 'chart'].map((name) => github.image(origin(name)))
    const { run, entry, id } = await firstRun(github.page(path(), images, shape))
    expect(github.purges().sort()).toEqual(images.sort())
    expect(run).toEqual({ success: true, timestamp: box.now(), duration: 0, status: 3 })
    expect(entry.nextRunAt).toBe(box.now() + hours(12))
    expect((await last(id)).images.map((one: { outcome: string }) => one.outcome)).toEqual(Array(3).fill('purged'))
  })

  test('starts immediately and then every 12 hours, and looks for images again each time', async () => {
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

  test('requests the page once, as ToolBox, and accepts gzip', async () => {
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

  test('of a page without images succeeds with a note', async () => {
    const { run, id } = await firstRun(github.page(path(), []))
    expect(run).toMatchObject({ success: true, status: 0, note: 'no cached images on this page' })
    expect(await last(id)).toEqual({ at: box.now(), movedTo: null, images: [] })
  })

  test('that succeeds in part is a FAIL with the count and the first failure', async () => {
    const good = Array.from({ length: 5 }, (_, index) => github.image(origin(`good${index}`)))
    const [missing, odd] = [origin('gone'), origin('odd')]
    const missingWithKey = `${missing}?key=a-secret`
    const bad = [github.image(missingWithKey, { status: 404 }), github.image(odd, { body: '{"status":"error"}' })]
    const { run, id } = await firstRun(github.page(path(), [bad[0] ?? '', ...good, bad[1] ?? '']))
    expect(run).toMatchObject({ success: false, status: 5, note: `5 of 7 images; ${missing}: answered 404` })
    const { images } = await last(id)
    expect(images).toHaveLength(7)
    expect(images[0]).toEqual({ origin: missingWithKey, outcome: 'failed', note: 'answered 404' })
    expect(images[6]).toEqual({ origin: odd, outcome: 'failed', note: 'unexpected answer' })
    expect(images[1]).toMatchObject({ outcome: 'purged', note: null })
  })

  test('truncates an overlong URL without splitting a character', async () => {
    const start = `https://img.example/${'a'.repeat(99)}`
    const odd = `${start}${'😀'.repeat(600)}.svg`
    const { run, id } = await firstRun(github.page(path(), [github.image(odd, { status: 404 })]))
    expect(run.note).toBe(`0 of 1 images; ${start}…: answered 404`)
    const [{ origin }] = (await last(id)).images
    expect(origin).toBe(`${start}${'😀'.repeat(440)}…`)
  })

  test.each([
    ['text', { body: 'ok' }],
    ['nothing', { body: '' }],
    ['a number', { body: '1' }],
    ['too much', { body: `{"status":"ok","id":"${'x'.repeat(20_000)}"}` }],
    ['a redirect', { status: 301, headers: { location: '/elsewhere' }, body: '{"status":"ok"}' }],
  ])('does not count a purge that was answered with %s', async (_what, reply) => {
    const { run } = await firstRun(github.page(path(), [github.image(origin('build'), reply)]))
    expect(run).toMatchObject({ success: false, status: 0, note: expect.stringMatching(/^0 of 1 images; /) })
    expect(github.camo.visits).toHaveLength(1)
  })

  test('sends at most four concurrent requests to the proxy', async () => {
    let most = 0
    const waiting: (() => void)[] = []
    const images = Array.from({ length: 12 }, (_, index) =>
      github.image(origin(`i${index}`), async (_visit, response) => {
        const answer = new Promise<void>((resolve) => waiting.push(resolve))
        most = Math.max(most, waiting.length)
        // Answer only after a delay once four requests wait, so that a fifth would be noticed.
        if (waiting.length === 4) setTimeout(() => waiting.splice(0).forEach((go) => void go()), 20)
        await answer
        response.end('{"status":"ok","id":"1"}')
      }),
    )
    expect((await firstRun(github.page(path(), images))).run).toMatchObject({ status: 12 })
    expect(most).toBe(4)
  })

  test('that fails on our side is not recorded, and its retry counts the earlier purges', async () => {
    const images = [github.image(origin('a')), github.image(origin('b'))]
    const { id } = await create(github.page(path(), images))
    const { request } = box.context.outbound
    let remaining = 2
    const breaking: typeof request = (url, options) => {
      remaining -= 1
      if (remaining >= 0) return request(url, options)
      return Promise.resolve({ answered: false, failure: 'internal', note: 'internal: stopped', duration: 0 })
    }
    box.context.outbound.request = breaking
    await box.work.runDue()
    box.context.outbound.request = request
    expect((await read(id)).history).toEqual([])
    expect((await last(id)).at).toBeNull()
    box.pass(seconds(30))
    await box.work.runDue()
    expect((await read(id)).history).toMatchObject([{ success: true, status: 2 }])
    expect(github.purges().sort()).toEqual(images.sort())
  })

  test('whose entry is deleted meanwhile leaves no rows behind', async () => {
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

  test('leaves no images of a page that was replaced, before or during the run', async () => {
    const [before, after] = [github.page(path(), [github.image(origin('old'))]), github.page(path(), [])]
    const { id } = await firstRun(before)
    expect((await last(id)).images).toHaveLength(1)
    await ada.patch(base, { id, url: `${after}-is-missing` })
    await box.work.runDue()
    expect([(await last(id)).images, (await read(id)).history[0].success]).toEqual([[], false])

    await ada.patch(base, { id, url: before })
    await box.work.runDue()
    const runs = (await read(id)).history.length
    const slow = github.image(origin('slow'), async (_visit, response) => {
      await ada.patch(base, { id, url: after })
      response.end('{"status":"ok","id":"1"}')
    })
    await ada.patch(base, { id, url: github.page(path(), [slow]) })
    await runNow(id)
    await box.work.runDue()
    expect((await last(id)).images).toEqual([])
    const { history } = await read(id)
    for (const run of history.slice(0, history.length - runs)) expect(run.note).toBe('no cached images on this page')
  })

  test('imported with unknown values is shown without its comparison', async () => {
    const image = origin('a')
    const { id } = await firstRun(github.page(path(), [github.image(image)]))
    const strange = { outcome: 'lost', state: 'odd', github: '{', source: '{"type":1}' }
    await box.db.q.updateTable('purge_image').set(strange).where('entry_id', '=', id).execute()
    expect((await last(id)).images).toEqual([{ origin: image, outcome: 'failed', note: null }])
    expect((await read(id)).images).toMatchObject([{ state: 'purged' }])
    await box.db.q.updateTable('purge_image').set({ state: 'stale' }).where('entry_id', '=', id).execute()
    expect((await last(id)).images).toMatchObject([{ compared: { state: 'stale', github: null, source: null } }])
  })

  test('happens once per entry when two instances share the work', async () => {
    const ids: string[] = []
    const images = Array.from({ length: 6 }, (_, index) => github.image(origin(`i${index}`)))
    for (const image of images) ids.push((await create(github.page(path(), [image]))).id)
    await Promise.all([box.work.runDue(), box.secondWorker().runDue()])
    for (const id of ids) expect((await read(id)).history).toMatchObject([{ success: true, status: 1 }])
    expect(github.purges().sort()).toEqual(images.sort())
  })
})

describe.each(racingDialects)('a run, with concurrent changes on %s', async (dialect) => {
  const { github, box, create, read, last, origin, path, firstRun } = await ghmdScene(dialect)

  test('stores no images of a page that is being replaced', async () => {
    const { id } = await create(github.page(path(), [github.image(origin('old'))]))
    let running: Promise<unknown> | undefined
    await box.db.q.transaction().execute(async (q) => {
      await changeSettings({ ...box.db, q }, id, (settings) => ({ ...settings, url: github.page(path(), []) }))
      running = box.work.runDue()
      if (dialect === 'postgres') await waitForLock(box.db.q, running)
    })
    await running
    expect((await last(id)).images).toEqual([])
  })

  test('concurrent with another run of the same entry stores the images of only one', async () => {
    const { id } = await firstRun(github.page(path(), [github.image(origin('a')), github.image(origin('b'))]))
    const perform = () =>
      ghmdinvalidatorServer.schedule?.perform({ url, mode: 'always' }, box.context, {
        entryId: id,
        visitor: { ownerId: '' },
        editedAt: 0,
        jobId: '',
        isAsked: false,
      })
    const { url } = await read(id)
    const outcomes = await Promise.all(Array.from({ length: 6 }, perform))
    expect(outcomes).toEqual(Array(6).fill({ success: true, count: 2, duration: 0 }))
    expect((await last(id)).images).toHaveLength(2)
  })
})
