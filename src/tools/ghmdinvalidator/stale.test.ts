import { describe, expect, test } from 'vitest'
import { changeSettings, dialects } from '../../../test/support/database/databases.ts'
import type { Reply } from '../../../test/support/fakes/fake-web.ts'
import { base, imagesScene, picture, svg } from '../../../test/support/scenes/ghmd-scene.ts'
import { hours, minutes } from '../../shared/time.ts'

describe.each(dialects)('on %s', async (dialect) => {
  const scene = await imagesScene(dialect)
  const { github, box, ada, create, read, last, firstRun, runNow, web, origin, change, page, stale, turn } = scene

  describe('an entry that purges only what is stale', () => {
    test('purges nothing on an unchanged page, and a changed image once', async () => {
      const urls = Array.from({ length: 30 }, (_, index) => origin(picture(`v${index}`)))
      const images = urls.map((url) => github.cached(url))
      const id = await stale(images)
      for (let runs = 0; runs < 3; runs++)
        expect(await turn(id)).toMatchObject({ success: true, status: 0, note: '30 current' })
      expect(github.purges()).toEqual([])
      change(urls[7] ?? '', picture('new'))
      expect(await turn(id)).toMatchObject({ success: true, status: 1, note: '29 current' })
      expect(github.purges()).toEqual([images[7]])
      const { images: reported, mode } = await read(id)
      expect(mode).toBe('stale')
      expect(reported[7]).toEqual({ camo: images[7], origin: urls[7], state: 'purged' })
      expect(await turn(id)).toMatchObject({ status: 0, note: '30 current' })
      expect(github.purges()).toHaveLength(1)
    })

    test('reports when each copy was last modified, if its server sends that', async () => {
      const dated = (day: string) => picture(day, { 'last-modified': day })
      const [dayBefore, day] = ['Sat, 03 Jan 2026 10:00:00 GMT', 'Sun, 04 Jan 2026 10:00:00 GMT']
      const urls = [origin(dated(day)), origin(dated('yesterday'))]
      const id = await stale([github.cached(urls[0] ?? '', dated(dayBefore)), github.cached(urls[1] ?? '')])
      const { images } = await last(id)
      expect(images[0].compared.source.modifiedAt).toBe(Date.parse(day))
      expect(images[1].compared.source).not.toHaveProperty('modifiedAt')
    })

    test('reports images that stay stale after a purge, always change or cannot be purged', async () => {
      const served =
        (cached: string, own: string): Reply =>
        ({ headers }, response) =>
          void response
            .writeHead(200, { 'content-type': 'image/svg+xml', age: '60' })
            .end(svg(headers.via ? cached : own))
      let count = 0
      const random: Reply = (_, response) =>
        void response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(svg(`${count++}`))
      const urls = [
        origin(served('old', 'young')),
        origin(picture('any', { 'cache-control': 'no-cache' })),
        origin(random),
        origin({ status: 410 }),
        origin(picture('young')),
      ]
      const images = urls.map((url) => github.cached(url, picture('old')))
      images[4] = github.image(urls[4] ?? '', (visit, response) => {
        const { status, body } =
          visit.method === 'PURGE' ? { status: 404, body: '' } : { status: 200, body: svg('old') }
        response.writeHead(status, { 'content-type': 'image/svg+xml' }).end(body)
      })
      const id = await stale(images)
      const { history, images: reported } = await read(id)
      expect(reported.map(({ state, cause }: { state: string; cause: string }) => [state, cause])).toEqual([
        ['still stale', expect.stringMatching(/^GitHub got an older copy again: .* 1 minute old/)],
        ['changing', expect.stringContaining('forbids keeping it (no-cache)')],
        ['changing', 'it is a different image at every request'],
        ['failed', 'dead address: answered 410'],
        ['failed', 'answered 404'],
      ])
      expect(history[0]).toMatchObject({ success: false, status: 2, note: `2 of 3 images; ${urls[4]}: answered 404` })
      expect(github.purges().sort()).toEqual([images[0], images[2], images[4]].sort())
      const outcomes = (await last(id)).images.map(({ outcome }: { outcome: string }) => outcome)
      expect(outcomes).toEqual(['purged', 'kept', 'purged', 'kept', 'failed'])
    })

    test('names the cache lifetime that keeps an image old, even after a purge', async () => {
      const headers = { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=3600' }
      const urls = ['again', 'gone'].map((after) =>
        origin((visit, response) => {
          const isOld = after === 'again' && visit.headers.via !== undefined
          response.writeHead(200, headers).end(svg(isOld ? 'old' : 'young'))
        }),
      )
      const { images } = await read(await stale(urls.map((url) => github.cached(url, picture('old')))))
      const words = 'lets caches keep it for 1 hour (max-age=3600)'
      expect(images.map(({ state, cause }: { state: string; cause: string }) => [state, cause])).toEqual([
        ['still stale', `GitHub got an older copy again: the image's server ${words}`],
        ['purged', `both copies match; a browser may show an older one, as the image's server ${words}`],
      ])
    })

    test('reports an image as purged even if the comparison afterwards fails on our side', async () => {
      const url = origin(picture('young'))
      const camo = github.cached(url, picture('old'))
      const ours = { answered: false, failure: 'internal', note: 'stopped', duration: 0 } as const
      const { request } = box.context.outbound
      let requests = 0
      box.context.outbound.request = async (address, options) => {
        if (address === camo) requests += 1
        return requests > 2 ? ours : request(address, options)
      }
      const id = await stale([camo])
      box.context.outbound.request = request
      expect(requests).toBe(3)
      const { history, images } = await read(id)
      expect([history[0], images]).toMatchObject([{ success: true, status: 1 }, [{ origin: url, state: 'purged' }]])
    })

    test('fails if GitHub returns no copy to compare, and waits as long as GitHub requests', async () => {
      const busy = { status: 429, headers: { 'retry-after': '86400' } }
      const id = await stale([github.image(origin(picture('a')), busy), github.image(origin(picture('b')), 'garbage')])
      const { history, nextRunAt, images } = await read(id)
      expect(history[0]).toMatchObject({ success: false, note: expect.stringContaining('asks to wait 86400 s') })
      expect(nextRunAt).toBe(box.now() + hours(24))
      expect(images[1]).toMatchObject({ state: 'failed', cause: expect.stringMatching(/^GitHub's image proxy: http/) })
      expect(github.purges()).toEqual([])
    })
  })

  test('mode defaults to always, also for entries stored without one, and other changes keep it', async () => {
    const { id } = await create(page([]))
    expect((await read(id)).mode).toBe('always')
    await changeSettings(box.db, id, ({ mode: _, ...old }) => old)
    expect(await read(id)).toMatchObject({ mode: 'always', images: [] })
    expect((await ada.get(`${base}/list`)).body).toMatchObject([{ id, mode: 'always' }])
    expect((await ada.patch(base, { ...(await read(id)), mode: 'stale' })).body).toMatchObject({ mode: 'stale' })
    expect((await ada.patch(base, { id, name: 'x' })).body).toMatchObject({ mode: 'stale' })
    expect(await ada.patch(base, { id, mode: 'never' })).toMatchObject({
      status: 400,
      body: { fields: { mode: 'Use always or stale.' } },
    })
  })

  test('an entry in mode always compares copies on Run now, but not in scheduled runs', async () => {
    const [young, dead] = [origin(picture('young')), origin({ status: 404 })]
    const images = [github.cached(young, picture('old')), github.cached(dead, picture('old'))]
    const { id } = await firstRun(page(images))
    expect(web.visits).toEqual([])
    expect(github.camo.visits.map(({ method }) => method)).toEqual(['PURGE', 'PURGE'])
    expect((await read(id)).images).toEqual([
      { camo: images[0], origin: young, state: 'purged' },
      { camo: images[1], origin: dead, state: 'purged' },
    ])
    box.pass(minutes(11))
    await runNow(id)
    const { history, images: compared } = await read(id)
    expect(history[0]).toEqual({ success: true, status: 2, timestamp: box.now(), duration: 0 })
    expect(compared).toMatchObject([{ state: 'purged' }, { state: 'failed', cause: 'dead address: answered 404' }])

    const { compared: comparison } = (await last(id)).images[0]
    expect(comparison.github).toEqual({
      type: 'image/svg+xml',
      length: svg('young').length,
      picture: expect.any(String),
    })
    const copy = `${base}/copy?id=${id}&picture=${comparison.github.picture}`
    const eve = box.as(await box.createPerson(`eve ${dialect}`.replace(' ', '')))
    expect((await eve.get(copy)).status).toBe(404)
    expect((await ada.get(`${base}/copy?id=${id}&picture=${'0'.repeat(64)}`)).status).toBe(404)

    // The next scheduled run compares nothing, so no copies are left to show.
    expect(await turn(id)).toMatchObject({ success: true, status: 2 })
    expect((await last(id)).images[0]).not.toHaveProperty('compared')
    expect(await box.db.q.selectFrom('image_copy').select('hash').execute()).toEqual([])
  })

  const inbox = async () =>
    (await ada.get('/api/v1/user/inbox')).body.items.map(({ message }: { message: string }) => message)

  test('a copy is served only as a safe picture, and is deleted with its entry', async () => {
    const hostile = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const urls = [origin(picture('fine')), origin({ headers: { 'content-type': 'image/svg+xml' }, body: hostile })]
    const id = await stale(urls.map((url) => github.cached(url)))
    const [fine, bad] = (await last(id)).images
    expect(bad.compared.source.picture).toBeNull()
    const answer = await box.app.inject({
      url: `${base}/copy?id=${id}&picture=${fine.compared.source.picture}`,
      headers: scene.cookies,
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toBe(svg('fine'))
    expect(answer.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*sandbox$/),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    })
    await box.db.q.updateTable('image_copy').set({ type: 'text/html' }).execute()
    expect((await ada.get(`${base}/copy?id=${id}&picture=${fine.compared.source.picture}`)).status).toBe(404)
    expect((await ada.delete(`${base}?id=${id}`)).status).toBe(200)
    for (const table of ['image_copy', 'dead_image'] as const)
      expect(await box.db.q.selectFrom(table).select('entry_id').execute()).toEqual([])
  })

  test('the owner is notified once of an image that is dead for two runs, until it recovers', async () => {
    const url = origin({ status: 404 })
    const id = await stale([github.cached(url, picture('old')), github.cached(origin(picture('fine')))])
    const notices = async () => (await inbox()).filter((message: string) => message.includes('owner/page'))
    const before = (await notices()).length
    for (let runs = 0; runs < 4; runs++) {
      await turn(id)
      expect(await notices()).toHaveLength(before + 1)
    }
    const why = `is failing (an image is dead: ${url}, answered 404).`
    expect((await notices())[0]).toContain(why)

    // A fault that isn't the image's, such as too many other visits, does not change its state.
    const busy = { answered: false, failure: 'busy', note: 'busy: other visits to this address', duration: 0 } as const
    const { request } = box.context.outbound
    box.context.outbound.request = async (address, options) => (address === url ? busy : request(address, options))
    await turn(id)
    box.context.outbound.request = request
    await turn(id)
    expect(await notices()).toHaveLength(before + 1)

    change(url, picture('alive'))
    await turn(id)
    expect((await notices())[0]).toMatch(/has recovered\.$/)
    change(url, { status: 404 })
    await turn(id)
    expect(await notices()).toHaveLength(before + 2)
    await turn(id)
    expect(await notices()).toHaveLength(before + 3)
    expect((await read(id)).health).toBe('ok')

    const dead = [origin({ status: 410 }), origin({ status: 404 })]
    const other = await stale(dead.map((each) => github.cached(`${each}?key=a-secret`, picture('old'))))
    box.pass(minutes(1))
    await turn(other)
    expect((await inbox())[0]).toContain(`is failing (2 images are dead, such as ${dead[0]}, answered 410).`)
  })
})
