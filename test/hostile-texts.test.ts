import { expect, test } from 'vitest'
import { redact } from '../src/platform/crypto/redact.ts'
import { signedCookie } from '../src/platform/crypto/signed-cookie.ts'
import { redirectOf } from '../src/platform/net/client.ts'
import { entryTools } from '../src/server-tools.ts'
import { canonicalEmail } from '../src/shared/schemas/email.ts'
import { webhookOf } from '../src/shared/urls/discord-webhook.ts'
import { parseUrl } from '../src/shared/urls/parse-url.ts'
import { webUrlMistake } from '../src/shared/urls/web-url.ts'
import { outcomeOf } from '../src/tools/keepalive/acts/request.ts'

const most = 300_000
/** Combining marks that normalization has to reorder, which takes quadratic time. */
const marks = `a${'\u0315'.repeat(most)}${'\u0316'.repeat(most)}`
const answer = {
  answered: true,
  status: 200,
  headers: {},
  body: Buffer.from(marks),
  url: 'http://a/',
  duration: 1,
} as const
const { renewSignatures: signAnew } = signedCookie('session', 'the secret from now on', 'the secret of before')
const nameless = 'a'.repeat(most)
/** A host of 1,000 distinct letters. */
const endless = `https://${String.fromCodePoint(...Array.from({ length: 1_000 }, (_, n) => 0x4e00 + n))}.example/`

test('rejects a host longer than any valid name wherever URLs are parsed', () => {
  expect(webUrlMistake(endless)).toBe('Enter a full URL, such as https://app.example.com/health.')
  for (const written of [endless, endless.slice(6), ` ht\ttps:\\\\${endless.slice(8)}`])
    expect(parseUrl(written, 'https://a.example/')).toBeNull()
  expect(redirectOf(302, encodeURI(endless), new URL('https://a.example/'))).toBe('malformed')
  expect(webhookOf(endless)).toBeUndefined()
  for (const { imports } of entryTools) expect(imports?.identity(endless)).toBe(endless)
  const long = `/${'x'.repeat(1_000)}?${'y'.repeat(1_000)}`
  for (const written of [long, `https://a.example${long}`])
    expect(parseUrl(written, 'https://a.example/')?.href).toBe(`https://a.example${long}`)
})

// Code that rescans these texts would block the server for minutes.
test.each([
  ['a text of nothing but cookie headers', () => redact('cookie:'.repeat(most)), 'cookie:'.repeat(most)],
  ['an email of combining marks', () => canonicalEmail(marks), undefined],
  ['a response of marks', () => 'success' in outcomeOf(answer, { url: 'http://a/', expect: { text: 'a' } }), true],
  ['a cookie without a value', () => signAnew(nameless), nameless],
])('reads %s quickly', (_what, read, expected) => expect(read() === expected).toBe(true))
