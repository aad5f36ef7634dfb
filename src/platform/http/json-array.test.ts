import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { portOf } from '../../../test/support/raw-http.ts'
import { testServer } from '../../../test/support/scenes/test-server.ts'
import { open } from './access/guard.ts'
import { sendArray } from './json-array.ts'
import { compressResponse } from './page/compress-answer.ts'

async function served(pages: () => AsyncIterable<readonly unknown[]>) {
  const { app } = await testServer()
  app.get('/api/v1/all', { ...open('read'), onSend: compressResponse }, (_request, reply) => sendArray(reply, pages()))
  app.get('/api/v1/other', { ...open('read') }, () => ({}))
  return app
}

async function* these(...pages: (readonly unknown[])[]) {
  yield* pages
}
const page = (from: number) => Array.from({ length: 3 }, (_, n) => ({ n: from + n }))

test.each([
  [[]],
  [[[]]],
  [[page(0)]],
  [[page(0), page(3), page(6)]],
  [[[], page(0), [], [], page(3), []]],
  [[[], [], []]],
])('the pages %j form one complete array', async (pages) => {
  const app = await served(() => these(...pages))
  const answer = await app.inject('/api/v1/all')
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.json()).toEqual(pages.flat())
})

test('a long response is compressed while streaming, if the client accepts that', async () => {
  const pages = Array.from({ length: 50 }, (_, n) => page(n * 3))
  const app = await served(() => these(...pages))
  const answer = await app.inject({ url: '/api/v1/all', headers: { 'accept-encoding': 'gzip' } })
  expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(JSON.parse(gunzipSync(answer.rawPayload).toString())).toEqual(pages.flat())
})

test('other requests are answered between its pages', async () => {
  const answered: string[] = []
  const pages = 30
  async function* slow() {
    for (let n = 0; n < pages; n++) yield page(n * 3)
  }
  const app = await served(slow)
  const long = app.inject('/api/v1/all').then(() => answered.push('all'))
  for (let n = 0; n < 5; n++) await app.inject('/api/v1/other').then(() => answered.push('other'))
  await long
  expect(answered).toEqual([...Array(5).fill('other'), 'all'])
})

test('an error before the first bytes is a 500, and a later one ends the connection', async () => {
  async function* broken(after: number) {
    for (let n = 0; n < after; n++) yield page(n * 3)
    throw new Error('The database is gone.')
  }
  const early = await served(() => broken(1))
  expect((await early.inject('/api/v1/all')).statusCode).toBe(500)
  const late = await served(() => broken(5))
  const port = await portOf(late)
  for (const encoding of ['identity', 'gzip']) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/all`, { headers: { 'accept-encoding': encoding } })
    await expect(answer.text()).rejects.toThrow()
  }
})

test('no more pages are read once the client has disconnected', async () => {
  let read = 0
  async function* endless() {
    for (;;) {
      read += 1
      // Large enough that a client's disconnection is noticed soon.
      yield Array.from({ length: 1_000 }, () => 'some words')
    }
  }
  const app = await served(endless)
  const url = `http://127.0.0.1:${await portOf(app)}`
  const controller = new AbortController()
  const answer = await fetch(`${url}/api/v1/all`, { signal: controller.signal })
  await answer.body?.getReader().read()
  controller.abort()
  let before = -1
  await expect
    .poll(() => {
      const same = read === before
      before = read
      return same
    })
    .toBe(true)
})
