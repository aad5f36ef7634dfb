import { Secret, TOTP } from 'otpauth'
import type { Instant } from '../../shared/time.ts'

/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20

/** Codes of six digits that change every 30 seconds, by RFC 6238 with SHA-1: what every app understands. */
const totp = (secret: string, account?: string) =>
  new TOTP({ issuer: 'ToolBox', label: account ?? '', secret, algorithm: 'SHA1', digits: 6, period: 30 })

/** A new secret, in base32 as apps take it. */
export const newSecret = (): string => new Secret({ size: secretBytes }).base32

/** The address that a QR code shows to an authenticator app. */
export const totpUri = (secret: string, account: string): string => totp(secret, account).toString()

/** The number of the 30-second step that a code belongs to: this one, or a neighbour if a clock is off; undefined if it is wrong. */
export function stepOf(secret: string, code: string, now: Instant): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const codes = totp(secret)
  const steps = codes.validate({ token: code, timestamp: now, window: 1 })
  return steps === null ? undefined : codes.counter({ timestamp: now }) + steps
}
