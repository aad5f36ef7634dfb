import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Instant, type Milliseconds, seconds } from '../../shared/time.ts'

const step: Milliseconds = seconds(30)
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new secret of 160 bits, in base32 as apps take it. */
export const newSecret = (): string => base32(randomBytes(20))

/** The address that a QR code shows to an authenticator app. */
export function totpUri(secret: string, account: string): string {
  const parameters = new URLSearchParams({ secret, issuer: 'ToolBox' })
  return `otpauth://totp/ToolBox:${encodeURIComponent(account)}?${parameters}`
}

/** The number of the 30-second step that a code of six digits belongs to: this one, or a neighbour if a clock is off; undefined if it is wrong. */
export function stepOf(secret: string, code: string, now: Instant): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const current = Math.floor(now / step)
  return [current, current - 1, current + 1].find((number) => isSame(codeAt(secret, number), code))
}

/** The code of a step by RFC 6238, with SHA-1 and six digits. */
export function codeAt(secret: string, number: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(number))
  const hash = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const truncated = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(truncated % 1_000_000).padStart(6, '0')
}

const isSame = (wanted: string, given: string) => timingSafeEqual(Buffer.from(wanted), Buffer.from(given))

/** Base32 by RFC 4648 without padding, which 20 bytes don't need. */
const base32 = (bytes: Buffer) =>
  (bytes.toString('hex').match(/.{10}/g) ?? [])
    .map((five) => Number.parseInt(five, 16).toString(32).padStart(8, '0'))
    .join('')
    .replace(/./g, (digit) => letters[Number.parseInt(digit, 32)] ?? '')

const bytesOf = (secret: string) =>
  Buffer.concat(
    (secret.match(/.{8}/g) ?? []).map((eight) => {
      const digits = [...eight].map((letter) => letters.indexOf(letter).toString(32)).join('')
      return Buffer.from(Number.parseInt(digits, 32).toString(16).padStart(10, '0'), 'hex')
    }),
  )
