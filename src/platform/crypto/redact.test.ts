import { expect, test } from 'vitest'
import { redact, redactValue } from './redact.ts'

test.each([
  ['GET /api/auth/callback/001_Discord?code=abc123&state=xyz', /abc123|xyz/],
  ['authorization: Bearer tbx_AbCdEf0123456789', /AbCdEf/],
  ['{"Authorization":"Basic dXNlcjpwYXNz"}', /dXNl/],
  ['cookie: toolbox.session_token=s3cr3t; XSRF-TOKEN=abcd', /s3cr3t|abcd/],
  ['password=hunter2&username=me', /hunter2/],
  ['{"password":"hunter 2","name":"me"}', /hunter/],
  ['https://discord.com/api/v10/webhooks/123456/Sec-ret_token', /Sec-ret/],
  ['POST /hooks/heroku/Zm9vYmFyYmF6', /Zm9v/],
  ['connect postgres://toolbox:hunter2@db:5432/x failed', /hunter2/],
  ['see http://localhost:3000/auth/setup?token=One-Time', /One-Time/],
  ['the key tbx_0123456789abcdef did it', /0123456789/],
  ['the key tbx_01-23_45-6789abcdef did it', /6789abcdef/],
])('hides the secret in %s', (text, secret) => {
  expect(redact(text)).not.toMatch(secret)
})

test('ordinary words stay as they are', () => {
  for (const text of [
    'answered 503',
    'GET https://app.example.com/health?page=2',
    'the token expired',
    'dns: ENOTFOUND',
  ])
    expect(redact(text)).toBe(text)
  expect(redact('password=hunter2&username=me')).toContain('username=me')
})

test('fields with a secret’s name are hidden at any depth, the rest is kept', () => {
  const value = { req: { headers: { Cookie: 'a=b', host: 'x' }, ids: [1, 'tbx_abcdef'] }, discordToken: 'x', n: null }
  expect(redactValue(value)).toEqual({
    req: { headers: { Cookie: '[hidden]', host: 'x' }, ids: [1, 'tbx_[hidden]'] },
    discordToken: '[hidden]',
    n: null,
  })
})

test('an error keeps its story without its secrets, causes too', () => {
  const error = new Error('no way to postgres://a:hunter2@db', { cause: new Error('token=hunter3') })
  const said = JSON.stringify(redactValue(error))
  expect(said).toContain('no way to postgres://')
  expect(said).not.toMatch(/hunter/)
})

test('a value that holds itself ends', () => {
  const loop: Record<string, unknown> = {}
  loop.self = loop
  expect(JSON.stringify(redactValue(loop))).toContain('[deeper]')
})
