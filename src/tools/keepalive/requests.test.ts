import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { changeSettings, dialects } from '../../../test/support/database/databases.ts'
import { fakeWeb, startTlsAlertServer } from '../../../test/support/fakes/fake-web.ts'
import { timeOutAfter } from '../../../test/support/outbound-client.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import { minutes } from '../../shared/time.ts'
import { outcomeOf } from './acts/request.ts'

const headersOf = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => ({ name, value }))
const key = 'sb-key-of-a-hundred-letters'
const path = '/api/v1/keepalive'
const large = Buffer.alloc(10_000_000, 'a')
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const bombs = [
  ['gzip', gzipSync(large)],
  ['br', brotliCompressSync(large, quick)],
] as const

describe.each(dialects)('the request of a ping, on %s', async (dialect) => {
  const { box, target, ada, create, read } = await keepaliveScene(dialect)

  const elsewhere = await fakeWeb()
  afterAll(() => elsewhere.close())
  beforeEach(() => {
    elsewhere.visits.length = 0
  })
  /** Runs an entry now; returns the note of the run. */
  const noteOf = async (id: string) => {
    box.pass(minutes(1))
    await ada.post(`${path}/run?id=${id}`)
    await box.work.runDue()
    const { lastRun } = await read(id)
    return lastRun.note ?? (lastRun.success ? 'fine' : 'failed')
  }
  const created = (body: object) => ada.post(`${path}/`, { url: `${target.origin}/200`, ...body })

  test('an entry older than these settings sends a GET without headers, and accepts any status below 400', async () => {
    const { id } = await create('/200', { status: false })
    await changeSettings(box.db, id, ({ url, interval }) => ({ url, interval }))
    expect(await read(id)).toMatchObject({ method: 'GET', headers: [], expect: null, quiet: null })
    expect(await noteOf(id)).toBe('fine')
    expect(target.visits).toMatchObject([{ method: 'GET' }])
    expect((await ada.get(`${path}/list`)).body).toMatchObject([{ id, method: 'GET', headers: [] }])
  })

  test('a stored header that is no longer allowed is omitted', async () => {
    const { id } = await create('/200', { status: false, headers: [{ name: 'X-Short', value: 'abc' }] })
    await changeSettings(box.db, id, ({ headers, ...rest }) => ({
      ...rest,
      headers: [...headers, { ...headers[0], name: 'X_Forwarded_For' }],
    }))
    expect((await read(id)).headers).toEqual([{ name: 'X-Short', value: '••••' }])
    expect(await noteOf(id)).toBe('fine')
    expect(target.visits[0]!.headers).not.toHaveProperty('x_forwarded_for')
  })

  test('a header value may have 2,048 characters, and is sent in full', async () => {
    const value = 'k'.repeat(2_048)
    const { id } = await create('/200', { status: false, headers: [{ name: 'X-Key', value }] })
    expect(await noteOf(id)).toBe('fine')
    expect(target.visits).toMatchObject([{ headers: { 'x-key': value } }])
  })

  test('HEAD can be chosen, and headers are sent with their values but shown masked', async () => {
    const authorization = 'Basic YWRhOmxvdmVsYWNl'
    const headers = headersOf({ apikey: key, 'X-Short': 'abc', Authorization: authorization, 'X-Unset': '' })
    const { id, ...entry } = (await created({ method: 'HEAD', headers, status: false })).body
    const masked = headersOf({ apikey: '••••ters', 'X-Short': '••••', Authorization: '••••', 'X-Unset': '' })
    expect(entry).toMatchObject({ headers: masked, warning: "Saved. Headers without a value aren't sent: X-Unset." })
    expect((await read(id)).headers).toEqual(masked)
    expect((await ada.get(`${path}/list`)).body[0].headers).toEqual(masked)
    const { settings } = await box.db.q.selectFrom('entry').select('settings').executeTakeFirstOrThrow()
    expect(settings).not.toContain(key)
    await noteOf(id)
    expect(target.visits[0]).toMatchObject({ method: 'HEAD', headers: { apikey: key, 'x-short': 'abc' } })
    expect(target.visits[0]!.headers).not.toHaveProperty('x-unset')
    // The headers as read, with another one added.
    const more = [...masked.slice(0, 3), { name: 'X-New', value: 'new' }]
    expect((await ada.patch(path, { id, method: 'GET', headers: more })).status).toBe(200)
    await noteOf(id)
    expect(target.visits[1]).toMatchObject({
      method: 'GET',
      headers: { apikey: key, 'x-short': 'abc', authorization, 'x-new': 'new' },
    })
  })

  test('no header value goes to another origin or owner, by a redirect, a new URL or a transfer', async () => {
    target.on('/leaves', { status: 302, headers: { location: `${elsewhere.origin}/` } })
    target.on('/stays', { status: 302, headers: { location: '/200' } })
    const headers = headersOf({ apikey: key, 'User-Agent': key })
    const { id } = await create('/leaves', { headers, status: false })
    await noteOf(id)
    expect(target.visits[0]).toMatchObject({ headers: { apikey: key, 'user-agent': key } })
    expect(elsewhere.visits).toHaveLength(1)
    expect(JSON.stringify(elsewhere.visits)).not.toContain(key)
    await ada.patch(path, { id, url: `${target.origin}/stays` })
    await noteOf(id)
    expect(target.visits.at(-1)).toMatchObject({ path: '/200', headers: { apikey: key } })

    const read1 = (await read(id)).headers
    const moved = await ada.patch(path, { id, url: elsewhere.origin, headers: read1 })
    const cleared = headersOf({ apikey: '', 'User-Agent': '' })
    expect(moved.body).toMatchObject({ headers: cleared, warning: expect.stringContaining('apikey, User-Agent') })
    await noteOf(id)
    expect(JSON.stringify(elsewhere.visits)).not.toContain(key)
    // Values entered together with the new URL are sent to it.
    await ada.patch(path, { id, headers })
    await ada.patch(path, { id, url: target.origin })
    expect((await read(id)).headers).toEqual(cleared)
    await ada.patch(path, { id, url: elsewhere.origin, headers })
    expect((await read(id)).headers).toMatchObject([{ value: '••••ters' }, { value: '••••ters' }])
    const admin = box.as(await box.createPerson(`tools-${dialect}`, 2))
    const bob = await box.createPerson(`bob-${dialect}`)
    await admin.patch(path, { id, owner: bob.email })
    expect((await admin.get(`${path}?id=${id}`)).body).toMatchObject({ owner: bob.email, headers: cleared })
  })

  test('forbidden and invalid headers are rejected, and so are other invalid settings', async () => {
    const reason = async (headers: unknown) => (await created({ headers })).body.fields?.headers
    const usual = ['Host', 'cookie', 'Connection', 'Content-Length', 'X-Forwarded-For', 'Forwarded', 'TE', 'Via']
    // Many servers read an underscore as a hyphen.
    const others = [
      'X_Forwarded_For',
      'x-forwarded_proto',
      'Content_Length',
      'X-Original-URL',
      'X-Rewrite-URL',
      'X_Real_IP',
    ]
    for (const name of [...usual, ...others])
      expect(await reason([{ name, value: 'x' }])).toBe(`The header ${name} can't be set.`)
    expect(await reason([{ name: 'a b', value: 'x' }])).toMatch(/letters, digits and hyphens/)
    expect(await reason([{ name: 'a', value: 'x\r\nHost: evil' }])).toMatch(/ASCII letters/)
    expect(await reason(Array.from({ length: 11 }, (_, n) => ({ name: `a${n}`, value: 'x' })))).toMatch(/at most 10/)
    expect(await reason(headersOf({ A: '1', a: '2' }))).toBe('Use each header only once.')
    // A mask is invalid in a new entry.
    expect(await reason([{ name: 'a', value: '••••ters' }])).toBe('Enter the value of a in full.')
    expect((await created({ method: 'POST' })).body.fields).toEqual({ method: 'Use GET or HEAD.' })
    expect((await created({ method: 'HEAD', expect: { text: 'a' } })).body.fields.expect).toMatch(/has no text/)
    for (const statuses of ['', 'ok', '99', '600', '200-', '399-200', '200;300'])
      expect([statuses, (await created({ expect: { statuses } })).body.fields]).toEqual([
        statuses,
        { expect: 'Enter statuses such as 200-399,401.' },
      ])
  })

  test('a run fails if the host ends the TLS handshake', async () => {
    const refusing = await startTlsAlertServer(40)
    const { id } = (await created({ url: refusing.origin, status: false })).body
    expect(await noteOf(id)).toMatch(/^tls: .*client certificate/)
    refusing.close()
  })

  test('a response is compared with the expectation, and the note names the difference', async () => {
    const latin = { 'content-type': 'text/html; charset=ISO-8859-1' }
    target.on('/latin', { headers: latin, body: Buffer.from('Grüße', 'latin1') })
    target.on('/gzip', { headers: { 'content-encoding': 'gzip' }, body: gzipSync('Grüße') })
    target.on('/late', { body: `${'x'.repeat(65_536 - 5)}Hello${'x'.repeat(1_000_000)}Bye` })
    target.on('/broken', (_, { socket }) => {
      socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nall is ready')
    })
    target.on('/401', { status: 401, body: 'Log in' })
    for (const [encoding, body] of bombs)
      target.on(`/bomb-${encoding}`, { headers: { 'content-encoding': encoding }, body })
    const { id } = await create('/200', { status: false })
    const cases: [string, object, string][] = [
      ['/200', { statuses: '201-299, 401' }, 'answered 200, which is not expected'],
      ['/401', { statuses: '200-399,401' }, 'fine'],
      ['/404', { statuses: '200-399,401' }, 'answered 404'],
      ['/200', { text: 'hello' }, 'fine'],
      ['/200', { text: 'Hello' }, 'answered 200 but the text is missing'],
      ['/200', { absent: 'ell' }, 'answered 200 but has the unwanted text'],
      ['/401', { statuses: '401', text: 'Log in', absent: 'hello' }, 'fine'],
      ['/latin', { text: 'Grüße' }, 'fine'],
      ['/gzip', { text: 'Gru\u0308ße' }, 'fine'],
      ['/late', { text: 'Hello', absent: 'Bye' }, 'fine'],
      ['/late', { text: 'Bye' }, 'answered 200 but the text is missing'],
      ['/endless', { absent: 'y' }, 'fine'],
      ['/broken', { text: 'ready' }, 'the body broke off (connect: reset)'],
      ['/broken', { text: 'Bye' }, 'answered 200 but the text is missing; the body broke off (connect: reset)'],
      ['/broken', { absent: 'ready' }, 'answered 200 but has the unwanted text; the body broke off (connect: reset)'],
      ['/bomb-gzip', { text: 'b' }, 'answered 200 but the text is missing'],
      ['/bomb-br', { text: 'aaa' }, 'fine'],
    ]
    const notes: string[] = []
    for (const [to, expected] of cases) {
      await ada.patch(path, { id, url: target.origin + to, expect: expected })
      notes.push(await noteOf(id))
    }
    expect(notes).toEqual(cases.map(([, , note]) => note))
  })

  test('the received part of a response that does not end in time is compared with the expectation', async () => {
    timeOutAfter(target, '/slow', 'HTTP/1.1 200 OK\r\n\r\nall is ready')
    const { id } = await create('/slow', { status: false, expect: { text: 'ready' } })
    expect(await noteOf(id)).toBe('the body broke off (timeout after 60 s)')
  })
})

const html = 'text/html'
const german = 'Gr\xfc\xdfe'
const chinese = '\xd5\xfd\xb3\xa3'
const edge = '<meta http-equiv="X-UA-Compatible" content="IE=Edge">'

test.each([
  ['the second of two meta elements', html, `<!doctype html>${edge}<meta charset="gb2312"><title>${chinese}`, '正常'],
  ['the older form', html, `<META content='a; charset = "koi8-r"' http-equiv=Content-Type>\xc4\xc1`, 'да'],
  ['no meta element within a comment', html, '<!-- <meta charset="koi8-r"> --><meta charset=utf-8>\xd0\xb4', 'д'],
  ['no meta element within a value', html, '<p title="<meta charset=koi8-r>">\xd0\xb4', 'д'],
  ['no content without http-equiv', html, '<meta name="a" content="text/html; charset=koi8-r">\xd0\xb4', 'д'],
  ['no meta element after 1,024 bytes', html, `${' '.repeat(1_024)}<meta charset="koi8-r">\xd0\xb4`, 'д'],
  ['UTF-8 for UTF-16, which a page with this meta element cannot be in', html, '<meta charset="utf-16">\xd0\xb4', 'д'],
  ['a label of the standard', html, '<meta charset="x-sjis">\x93\xfa', '日'],
  ['the encoding that latin1 stands for', html, '<meta charset="latin1">\x80', '€'],
  ['the header before the page', `${html}; charset="ISO-8859-1"`, `<meta charset="koi8-r">${german}`, 'Grüße'],
  [
    'the page if the header has an unknown encoding',
    `${html}; charset=klingon`,
    `<meta charset="latin1">${german}`,
    'Grüße',
  ],
  ['the byte order mark before both', `${html}; charset=latin1`, '\xef\xbb\xbf<meta charset="koi8-r">\xd0\xb4', 'д'],
  ['UTF-16 by its mark', html, '\xff\xfe\x34\x04', 'д'],
  ['the first line of XML', 'application/rss+xml', `<?xml version="1.0" encoding='iso-8859-1'?>${german}`, 'Grüße'],
  ['no meta element of XML', 'application/xhtml+xml', '<meta charset="koi8-r"/>\xd0\xb4', 'д'],
  ['no meta element of JSON', 'application/json', '{"a":"<meta charset=koi8-r>\xd0\xb4"}', 'д'],
  ['UTF-8 without a declaration', html, '\xd0\xb4', 'д'],
  ['UTF-8 if the declaration is cut off', '', '\xd0\xb4<meta content="charset', 'д'],
  ['a page of an unknown type', '', `<meta charset="latin1">${german}`, 'Grüße'],
  ['UTF-8 for an encoding that browsers refuse', `${html}; charset=iso-2022-kr`, '\xd0\xb4', 'д'],
])('a response is decoded as in browsers: %s', (_what, type, body, text) => {
  const answer = {
    answered: true as const,
    status: 200,
    headers: { 'content-type': type },
    body: Buffer.from(body, 'latin1'),
    url: 'https://a.example/',
    duration: 1,
  }
  const settings = { url: answer.url, expect: { text } }
  expect(outcomeOf(answer, settings)).toEqual({ success: true, duration: 1, count: 200 })
})
