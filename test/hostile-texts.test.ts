import { expect, test } from 'vitest'
import { redact } from '../src/platform/crypto/redact.ts'
import { signedCookie } from '../src/platform/crypto/signed-cookie.ts'
import { canonicalEmail } from '../src/shared/schemas/email.ts'
import { outcomeOf } from '../src/tools/keepalive/server.ts'

const most = 300_000
/** Marks that have to change places: as many steps as the square of their number. */
const marks = `a${'\u0315'.repeat(most)}${'\u0316'.repeat(most)}`
const answer = {
  answered: true,
  status: 200,
  headers: {},
  body: Buffer.from(marks),
  url: 'http://a/',
  duration: 1,
} as const
const { signAnew } = signedCookie('session', 'the secret from now on', 'the secret of before')
const nameless = 'a'.repeat(most)

// Who reads these texts again and again keeps everybody waiting for minutes.
test.each([
  ['a text that names cookies only', () => redact('cookie:'.repeat(most)), 'cookie:'.repeat(most)],
  ['an email of marks', () => canonicalEmail(marks), undefined],
  ['an answer of marks', () => 'success' in outcomeOf(answer, { url: 'http://a/', expect: { text: 'a' } }), true],
  ['a cookie without a value', () => signAnew(nameless), nameless],
])('%s is read at once', (_what, read, expected) => expect(read() === expected).toBe(true), 20_000)
