import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
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
  ['POST /hooks/%68eroku/Zm9vYmFyYmF6', /Zm9v/],
  ['connect postgres://toolbox:hunter2@db:5432/x failed', /hunter2/],
  ['connect postgres://toolbox:hun@hunter2@db:5432/x failed', /hunter2/],
  ['see http://localhost:3000/auth/setup?token=One-Time', /One-Time/],
  ['the key tbx_0123456789abcdef did it', /0123456789/],
  ['the key tbx_01-23_45-6789abcdef did it', /6789abcdef/],
  ["{ user: 'me', clientSecret: 'hunter two' }", /hunter/],
  ['x-api-key: 0123456789abcdef', /0123456789/],
  ['https://x.example/auth/invite#One-Time_Token-of-43-letters', /One-Time/],
  ['POST https://api.telegram.org/bot123456:ABC-DEF_ghi/sendMessage', /ABC-DEF/],
  ['the ID token: 00000000-0000-1000-8000-000000000000 is unknown', /0000/],
  ['signed with whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', /MfKQ9/],
])('hides the secret in %s', (text, secret) => {
  expect(redact(text)).not.toMatch(secret)
})

test('leaves ordinary text unchanged', () => {
  for (const text of [
    'answered 503',
    'GET https://app.example.com/health?page=2',
    'the token expired',
    'dns: ENOTFOUND',
    'the ID token: unexpected "iss" claim value',
    'the ID token: "exp" claim timestamp check failed',
    'Basic authentication failed for the password: it is expired',
    'cookie: missing; authorization: required',
    'unexpected token: ERR_HTTP2_STREAM at https://id.example.com/keys',
    'invalid_client: see https://id.example.com/help#authentication',
  ])
    expect(redact(text)).toBe(text)
  expect(redact('password=hunter2&username=me')).toContain('username=me')
})

/** Error messages of the libraries in use, as far as their code contains them as one string. */
const reasons = [
  ...new Set(
    Object.keys(packageJson.dependencies)
      // Packages of images and fonts.
      .filter((name) => !/^@fontsource|^simple-icons|^badge-maker/.test(name))
      .flatMap((name) => globSync(`node_modules/${name}/**/*.{js,mjs,cjs}`))
      .flatMap((file) => [
        ...readFileSync(file, 'utf8').matchAll(/\bnew [\w.]*Error\(\s*(["'`])((?:(?!\1)[^\\\n])+)\1/g),
      ])
      .map(([, , message = '']) => message.replaceAll(/\$\{[^}]*\}/g, 'something')),
  ),
]

test('leaves error messages of libraries unchanged, also after words that precede secrets', () => {
  expect(reasons.length).toBeGreaterThan(500)
  const cut = reasons.flatMap((reason) =>
    ['', 'the ID token: ', 'password: ', 'secret: ', 'Bearer ']
      .map((about) => about + reason)
      .filter((text) => redact(text) !== text),
  )
  expect(cut).toEqual([])
})

const random = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes))
const planted = fc.oneof(
  // Skip the one in 200 with fewer than two digits: it looks like a word.
  random.map((bytes) => bytes.toString('base64url')).filter((text) => /\d.*\d/.test(text)),
  random.map((bytes) => bytes.toString('hex')),
  fc.uuid(),
)
const places = [
  (secret: string) => `the ID token: ${secret} is unknown`,
  (secret: string) => `refused Bearer ${secret}`,
  (secret: string) => `authorization: Basic ${secret}`,
  (secret: string) => `Cookie: a=${secret}; b=c`,
  (secret: string) => `GET /api?token=${secret}&page=1`,
  (secret: string) => JSON.stringify({ name: 'x', password: secret, token: null }),
  (secret: string) => `connect postgres://user:${secret}@db/toolbox failed`,
  (secret: string) => `tbx_${secret}`,
  (secret: string) => `https://x.example/auth/reset#${secret}`,
]

test('hides a planted secret whatever text surrounds it', () => {
  const around = fc.constantFrom('', ...reasons.slice(0, 200))
  fc.assert(
    fc.property(planted, fc.constantFrom(...places), around, around, (secret, place, before, after) => {
      expect(redact(`${before} ${place(secret)} ${after}`)).not.toContain(secret)
    }),
    { numRuns: 300 },
  )
})

test('hides fields named like secrets at any depth and keeps the rest', () => {
  const value = { req: { headers: { Cookie: 'a=b', host: 'x' }, ids: [1, 'tbx_abcdef'] }, discordToken: 'x', n: null }
  expect(redactValue(value)).toEqual({
    req: { headers: { Cookie: '[hidden]', host: 'x' }, ids: [1, 'tbx_[hidden]'] },
    discordToken: '[hidden]',
    n: null,
  })
})

test('hides the secrets in an error and its cause, and keeps the rest of the message', () => {
  const error = new Error('no way to postgres://a:hunter2@db', { cause: new Error('token=hunter3') })
  const redacted = JSON.stringify(redactValue(error))
  expect(redacted).toContain('no way to postgres://')
  expect(redacted).not.toMatch(/hunter/)
})

test('cuts off a value that contains itself', () => {
  const loop: Record<string, unknown> = {}
  loop.self = loop
  expect(JSON.stringify(redactValue(loop))).toContain('[deeper]')
})
