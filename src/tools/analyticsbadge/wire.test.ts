import { describe, expect, test } from 'vitest'
import { sendRequest } from '../../../test/support/raw-http.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'

describe('a badge over a socket', async () => {
  const box = closeAfterwards(await toolbox('sqlite'))
  const port = Number(new URL(await box.app.listen({ port: 0, host: '127.0.0.1' })).port)

  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    sendRequest(port, method, `/api/v1/analyticsbadge/${path}`, { headers })

  const always = {
    'content-type': 'image/svg+xml; charset=utf-8',
    'cache-control': 'max-age=0, no-cache, no-store, must-revalidate',
    pragma: 'no-cache',
    expires: '0',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'X-Views, X-Lastview',
    'x-content-type-options': 'nosniff',
    date: expect.any(String),
    connection: 'close',
  }
  const length = (body: string) => String(Buffer.byteLength(body))
  const lastview = () => new Date(box.now()).toISOString()

  test('has exactly these headers, even if the client accepts compression or sends cookies or a key', async () => {
    const eager = {
      'accept-encoding': 'br, gzip, deflate',
      cookie: 'XSRF-TOKEN=any; toolbox.session_token=any.any',
      authorization: 'Bearer tbx_any',
      'if-none-match': '*',
      'if-modified-since': new Date().toUTCString(),
      origin: 'https://example.com',
    }
    for (const [views, headers] of [
      ['1', {}],
      ['2', eager],
    ] as const) {
      const { status, body, headers: responseHeaders } = await ask('GET', 'wire', headers)
      expect(status).toBe(200)
      expect(responseHeaders).toEqual({
        ...always,
        'x-views': views,
        'x-lastview': lastview(),
        'content-length': length(body),
      })
    }
  })

  test('answers HEAD with the headers of the current count and no body', async () => {
    const never = await ask('HEAD', 'head')
    expect(never).toEqual({
      status: 200,
      body: '',
      headers: { ...always, 'x-views': '0', 'content-length': expect.any(String) },
    })
    const { body } = await ask('GET', 'head')
    for (let round = 0; round < 2; round += 1)
      expect(await ask('HEAD', 'head')).toEqual({
        status: 200,
        body: '',
        headers: { ...always, 'x-views': '1', 'x-lastview': lastview(), 'content-length': length(body) },
      })
  })

  test('has the same headers for errors, except X-Views and X-Lastview', async () => {
    for (const path of ['a-b', '%E0%A4%A', '', 'ok?style=round']) {
      const { status, headers, body } = await ask('GET', path)
      expect([status, headers]).toEqual([400, { ...always, 'content-length': length(body) }])
      expect(await ask('HEAD', path)).toEqual({ status: 400, headers: { ...headers, date: always.date }, body: '' })
    }
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('rejects %s without counting a view', async (method) => {
    const { status, headers } = await ask(method, 'posted')
    // PATCH is the owners' route, which requires sign-in.
    expect([status, headers['set-cookie']]).toEqual([method === 'PATCH' ? 401 : 404, undefined])
    expect((await ask('HEAD', 'posted')).headers['x-views']).toBe('0')
  })
})
