import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { testServer } from '../../../../test/support/scenes/test-server.ts'
import { open } from '../access/guard.ts'
import { compressHuffmanOnly, compressResponse } from './compress-answer.ts'

const long = 'a'.repeat(20_000)

async function request(accepted: string | undefined, path = '/api/v1/long') {
  const { app } = await testServer()
  app.get('/api/v1/long', { ...open('read'), onSend: compressResponse }, () => ({ long }))
  app.get('/api/v1/short', { ...open('read'), onSend: compressResponse }, () => ({ short: 'a' }))
  return app.inject({ url: path, headers: accepted === undefined ? {} : { 'accept-encoding': accepted } })
}

test.each(['gzip', 'br, gzip, deflate', 'deflate,GZIP', 'gzip;q=0.5, br', 'gzip ; q=1'])(
  'a large response is compressed for a browser that accepts %j',
  async (accepted) => {
    const answer = await request(accepted)
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length)
    expect(answer.rawPayload.length).toBeLessThan(1_000)
    expect(JSON.parse(gunzipSync(answer.rawPayload).toString())).toEqual({ long })
  },
)

test.each([undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.0, br', 'x-gzip', 'gzipped'])(
  'a large response is not compressed for a browser that accepts %j',
  async (accepted) => {
    const answer = await request(accepted)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.headers.vary).toBe('Accept-Encoding')
    expect(answer.json()).toEqual({ long })
  },
)

test('a small response is not compressed', async () => {
  const answer = await request('gzip', '/api/v1/short')
  expect([answer.headers['content-encoding'], answer.json()]).toEqual([undefined, { short: 'a' }])
})

test('compressing by letter does not make a response shorter when a text in it resembles a secret', async () => {
  const secret = 'https://toolbox.example.com/hooks/heroku/6bR0v3hKq2mXw9'
  const other = secret.split('').reverse().join('')
  const filler = Array.from({ length: 400 }, (_, n) => `${n * n * 7919} of many texts`)
  const weight = async (guess: string, onSend: typeof compressResponse) => {
    const { app } = await testServer()
    app.get('/api/v1/secret', { ...open('read'), onSend }, () => ({ secret, guess, filler: [...filler, ...filler] }))
    const answer = await app.inject({ url: '/api/v1/secret', headers: { 'accept-encoding': 'gzip' } })
    expect(JSON.parse(gunzipSync(answer.rawPayload).toString()).guess).toBe(guess)
    return answer.rawPayload.length
  }
  expect(await weight(secret, compressHuffmanOnly)).toBe(await weight(other, compressHuffmanOnly))
  expect(await weight(secret, compressResponse)).toBeLessThan(await weight(other, compressResponse))
})
