import { expect, test } from 'vitest'
import { totpCode } from '../../../test/support/authenticator.ts'
import { newRecoveryCodes, newSecret, stepOf, totpUri, withoutCode } from './factor.ts'

/** RFC 6238, appendix B: the key is `12345678901234567890`; the codes are the last six of its eight digits. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const vectors = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const

test.each(vectors)('the code at second %i matches the standard', (second, code) => {
  expect(stepOf(secret, code, second * 1_000)).toBe(Math.floor(second / 30))
})

test('a code is valid in its own 30 seconds and those before and after', () => {
  const code = totpCode(totpUri(secret, 'ada'), 30_000_000)
  expect([999, 1_000, 1_001].map((step) => stepOf(secret, code, step * 30_000))).toEqual([1_000, 1_000, 1_000])
  expect([998, 1_002].map((step) => stepOf(secret, code, step * 30_000))).toEqual([undefined, undefined])
  for (const wrong of ['', '12345', `${code}0`, '١٢٣٤٥٦']) expect(stepOf(secret, wrong, 30_000_000)).toBeUndefined()
})

test('codes of an app that has read the QR code are accepted', () => {
  const fresh = newSecret()
  expect(fresh).toMatch(/^[A-Z2-7]{32}$/)
  const uri = totpUri(fresh, 'ada+1@example.com')
  expect(uri).toContain('otpauth://totp/ToolBox:ada%2B1%40example.com?')
  expect(stepOf(fresh, totpCode(uri, 1_700_000_000_000), 1_700_000_000_000)).toBeDefined()
})

test('recovery codes are unique, and match regardless of case, spaces and hyphens', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  const [first = '', ...rest] = codes
  expect(withoutCode(codes, ` ${first.toUpperCase().replace('-', ' ')}`)).toEqual(rest)
  expect(withoutCode(rest, first)).toBeUndefined()
})
