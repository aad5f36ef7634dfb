import { expect, test } from 'vitest'
import { isSigned, signatureOf } from './hook.ts'

const body = Buffer.from('{"id":"é\\u0000"}')
const [secret, other] = ['a secret of Heroku', 'another secret, ünicode']

test('a signature is the base64 HMAC-SHA256 of the body', () => {
  // printf '{}' | openssl dgst -sha256 -hmac 'a secret of Heroku' -binary | base64
  expect(signatureOf(secret, Buffer.from('{}'))).toBe('zElN6VFR0zVbwv4so0/khGamseK2Bg9JUBHFFsX96OA=')
})

test('a signature by either of two secrets is valid, and any other is not', () => {
  expect(isSigned([secret, other], body, signatureOf(secret, body))).toBe(true)
  expect(isSigned([secret, other], body, signatureOf(other, body))).toBe(true)
  expect(isSigned([secret], body, signatureOf(other, body))).toBe(false)
  expect(isSigned([], body, signatureOf(other, body))).toBe(false)
  for (const signature of [
    '',
    'x',
    '=',
    signatureOf(secret, body).toLowerCase(),
    signatureOf(secret, Buffer.from('{}')),
  ])
    expect(isSigned([secret], body, signature)).toBe(false)
})
