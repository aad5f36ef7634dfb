import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { base, imagesScene, picture, svg } from '../../../../test/support/scenes/ghmd-scene.ts'
import { minutes } from '../../../shared/time.ts'

describe.each(dialects)('on %s', async (dialect) => {
  const { house, origin, change, stale, turn } = await imagesScene(dialect)
  const inbox = async () =>
    (await house.ada.get('/api/v1/user/inbox')).body.items.map(({ message }: { message: string }) => message)

  test('a copy is a picture and nothing else, and goes with its entry', async () => {
    const { github, box } = house
    const hostile = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const urls = [origin(picture('fine')), origin({ headers: { 'content-type': 'image/svg+xml' }, body: hostile })]
    const id = await stale(urls.map((url) => github.cached(url)))
    const [fine, bad] = (await house.last(id)).images
    expect(bad.compared.source.picture).toBeNull()
    const answer = await box.app.inject({
      url: `${base}/copy?id=${id}&picture=${fine.compared.source.picture}`,
      headers: house.cookies,
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
    expect((await house.ada.get(`${base}/copy?id=${id}&picture=${fine.compared.source.picture}`)).status).toBe(404)
    expect((await house.ada.delete(`${base}?id=${id}`)).status).toBe(200)
    for (const table of ['image_copy', 'dead_image'] as const)
      expect(await box.db.q.selectFrom(table).select('entry_id').execute()).toEqual([])
  })

  test('an image that is dead for two runs is told once, until it lives again', async () => {
    const { github } = house
    const url = origin({ status: 404 })
    const id = await stale([github.cached(url, picture('old')), github.cached(origin(picture('fine')))])
    const told = async () => (await inbox()).filter((message: string) => message.includes('owner/page'))
    const before = (await told()).length
    for (let runs = 0; runs < 4; runs++) {
      await turn(id)
      expect(await told()).toHaveLength(before + 1)
    }
    const why = `is failing (an image is dead: ${url}, answered 404).`
    expect((await told())[0]).toContain(why)

    // No answer of a name server, say, and no place beside other visits say nothing about the image.
    const busy = { answered: false, failure: 'busy', note: 'busy: other visits to this address', duration: 0 } as const
    const { request } = house.box.context.outbound
    house.box.context.outbound.request = async (asked, options) => (asked === url ? busy : request(asked, options))
    await turn(id)
    house.box.context.outbound.request = request
    await turn(id)
    expect(await told()).toHaveLength(before + 1)

    change(url, picture('alive'))
    await turn(id)
    expect((await told())[0]).toMatch(/has recovered\.$/)
    change(url, { status: 404 })
    await turn(id)
    expect(await told()).toHaveLength(before + 2)
    await turn(id)
    expect(await told()).toHaveLength(before + 3)
    expect((await house.read(id)).health).toBe('ok')

    const gone = [origin({ status: 410 }), origin({ status: 404 })]
    const other = await stale(gone.map((each) => github.cached(`${each}?key=a-secret`, picture('old'))))
    house.box.pass(minutes(1))
    await turn(other)
    expect((await inbox())[0]).toContain(`is failing (2 images are dead, such as ${gone[0]}, answered 410).`)
  })
})
