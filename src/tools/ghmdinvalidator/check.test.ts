import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { base, imagesScene, picture, svg } from '../../../test/support/scenes/ghmd-scene.ts'
import { minutes } from '../../shared/time.ts'

const large = 5_000_001

describe('a check', async () => {
  /** The only URL with a short timeout; all others get a long one, since this machine may be slow. */
  let hanging = ''
  const { github, ada, box, path, web, origin } = await imagesScene('sqlite')
  const { outbound } = box.context
  const { request } = outbound
  outbound.request = (url, options) =>
    request(url, { ...options, timeout: url === hanging ? options.timeout / 40 : minutes(1) })

  const check = (url: string) => ada.post(`${base}/check`, { url })
  const old = picture('old')

  test('names the cause for each stale image of a page, without purging or saving anything', async () => {
    hanging = origin('hang')
    const at = (url: string, copy?: Parameters<typeof github.cached>[1]) => ({ url, camo: github.cached(url, copy) })
    const young = (headers?: Record<string, string>) => origin(picture('young', headers))
    const asSvg = { headers: { 'content-type': 'image/svg+xml' } }
    const planted: [image: ReturnType<typeof at>, state: string, cause: RegExp | undefined][] = [
      [at(young()), 'current', undefined],
      [at(young(), old), 'stale', /^GitHub keeps an older copy: .* doesn't say for how long$/],
      [at(young({ 'cache-control': 'max-age=86400' }), old), 'stale', /keep it for 24 hours \(max-age=86400\)$/],
      [at(young({ age: '7200' }), old), 'stale', /its own cache, 2 hours old \(Age: 7200\)$/],
      [at(young({ 'cf-cache-status': 'HIT' })), 'current', /^both copies match, .*\(cf-cache-status: HIT\)$/],
      [at(young({ 'cache-control': 'max-age=300' })), 'current', /browser .* 5 minutes/],
      [at(young(), { status: 404, body: 'Not Found' }), 'stale', /^an error is cached: GitHub answers 404/],
      [at(young(), { headers: { 'content-type': 'text/html' }, body: 'Oops' }), 'stale', /^an error .* text\/html/],
      [at(young(), { ...asSvg, body: '' }), 'stale', /^an error is cached: GitHub serves nothing/],
      [at(young({ 'cache-control': 'no-store' }), old), 'changing', /forbids keeping it \(no-store\)/],
      [at(origin({ status: 404 }), old), 'failed', /^dead address: answered 404$/],
      [at(origin({ status: 503, body: svg('broken'), ...asSvg }), old), 'failed', /^dead address: answered 503$/],
      [at('http://nowhere.invalid/a.svg', old), 'failed', /^dead address: dns: no such host$/],
      [at('http://127.0.0.1:9/a.svg', old), 'failed', /^dead address: connect: refused$/],
      [at(hanging, old), 'failed', /^slower than 4 s/],
      [at(origin({ ...asSvg, body: 'x'.repeat(large) }), old), 'failed', /^too large: larger than 5 MB/],
      [at('http://10.0.0.1/a.svg', old), 'failed', /^private address/],
      [at('http://me:secret@127.0.0.1/a.svg', old), 'failed', /^not compared: blocked: username in the URL$/],
      [at(origin({ headers: { 'content-type': 'text/html' }, body: '<p>' }), old), 'failed', /^blocked type: .*html/],
      [at(origin({ headers: { 'content-type': 'image/png' }, body: '<p>' }), old), 'failed', /^not a picture/],
      [at(`${web.origin}/loop`, old), 'failed', /^dead address: too many redirects$/],
      [at(origin('garbage'), old), 'failed', /^dead address: http: malformed answer$/],
      [at(young(), { status: 429, headers: { 'retry-after': '90' } }), 'failed', /proxy answered 429, .* wait 90 s$/],
      [at(young(), { status: 302, headers: { location: '/' } }), 'failed', /^GitHub's image proxy answered 302$/],
    ]
    const copies = planted.map(([{ camo }]) => camo)
    const url = github.page(path(), copies)
    const { status, body } = await check(url)
    expect(status).toBe(200)
    expect(body.page).toEqual({ url, kind: 'repository', movedTo: null })
    expect(body.images).toHaveLength(planted.length)
    for (const [index, [{ url: origin, camo }, state, cause]] of planted.entries()) {
      const expected = cause === undefined ? {} : { cause: expect.stringMatching(cause) }
      expect(body.images[index], origin).toEqual({ camo, origin, state, ...expected })
    }
    expect(github.purges()).toEqual([])
    expect(await box.db.q.selectFrom('entry').select('id').execute()).toEqual([])
  })

  test('classifies hostile answers of 5 MB and more correctly', async () => {
    const type = (name: string) => ({ headers: { 'content-type': name } })
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const packed = { headers: { 'content-type': 'image/png', 'content-encoding': 'gzip' }, body: bomb }
    const nested = svg(`${'<g>'.repeat(1_000_000)}<script>alert(1)</script>`)
    const html = `<html>${'<div>'.repeat(990_000)}`
    const hostile = [
      origin(packed),
      origin({ ...type('text/html'), body: html }),
      origin({ ...type('image/svg+xml'), body: nested }),
      origin({ ...type('image/png'), body: html }),
      `${web.origin}/endless`,
    ]
    const copies = hostile.map((url, index) =>
      github.cached(url, index < 2 ? packed : { ...type('image/png'), body: html }),
    )
    const { body } = await check(github.page(path(), copies))
    expect(
      body.images.map(({ state, cause }: { state: string; cause: string }) => [state, cause.split(':')[0]]),
    ).toEqual([
      ['failed', 'too large'],
      ['failed', 'blocked type'],
      ['stale', 'GitHub keeps an older copy'],
      ['failed', 'not a picture'],
      ['failed', 'too large'],
    ])
  })

  test("doesn't fetch this server's own badge by URL, by a host name with a trailing dot or by redirect", async () => {
    const own = `${box.context.config.baseUrl}/api/v1/analyticsbadge/demo`
    const led = origin({ status: 302, headers: { location: own } })
    const dotted = own.replace('localhost', 'localhost.')
    const copies = [own, dotted, led].map((url) => github.cached(url))
    const { body } = await check(github.page(path(), copies))
    const state = { state: 'changing', cause: expect.stringContaining('a badge of this server') }
    expect(body.images).toMatchObject([state, state, state])
    expect(github.camo.visits).toEqual([])
  })

  test('accepts an image by its proxied URL, or by its original URL if GitHub reveals the proxied one', async () => {
    const url = origin(picture('young', { 'cache-control': 'max-age=7200' }))
    const camo = github.cached(url, old)
    const stale = { page: null, images: [{ camo, origin: url, state: 'stale', cause: expect.any(String) }] }
    expect((await check(camo)).body).toEqual(stale)
    const unknown = { camo: null, origin: url, state: 'failed', cause: expect.stringMatching(/^not compared.*2 hours/) }
    expect((await check(url)).body).toEqual({ page: null, images: [unknown] })
    github.api.on('/markdown', { headers: { 'content-type': 'text/html' }, body: `<p><img src="${camo}"></p>` })
    expect((await check(url)).body).toEqual(stale)
    expect(github.api.visits.at(-1)).toMatchObject({ method: 'POST', body: expect.stringContaining(url) })
    github.api.on('/markdown', { body: `<p><img src="${url}"></p>` })
    expect((await check(url)).body.images).toMatchObject([{ camo: null, state: 'current' }])
    const hidden = { state: 'failed', cause: expect.stringMatching(/^private address/) }
    expect((await check('http://10.0.0.1/a.png')).body.images).toMatchObject([hidden])
  })

  test('rejects an invalid URL, reports why a page can’t be read, and is rate-limited', async () => {
    expect(await check('nothing')).toMatchObject({ status: 400, body: { fields: { url: expect.any(String) } } })
    const why = "Couldn't read this page: not public, or does not exist."
    expect(await check(`${github.url}/nobody/none`)).toMatchObject({ status: 400, body: { fields: { url: why } } })
    const eve = box.as(await box.createPerson('eve'))
    const codes = []
    for (let count = 0; count < 61; count++)
      codes.push((await eve.post(`${base}/check`, { url: `${github.url}/a` })).status)
    expect(codes.filter((code) => code === 429)).toHaveLength(1)
    expect((await box.as(await box.createPerson('nobody', 0)).post(`${base}/check`, { url: github.url })).status).toBe(
      403,
    )
    expect((await ada.post(`${base}/check`, { url: github.url, id: 'x' })).status).toBe(400)
  })
})
