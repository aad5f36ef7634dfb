import { randomBytes } from 'node:crypto'
import type { Context } from '../platform/context.ts'
import { hashOf } from '../platform/crypto/secrets.ts'

/** A token of 256 random bits, as it is stored: its hash, which finds the entry, and the token itself, sealed. */
export function createToken({ secrets }: Pick<Context, 'secrets'>): { address: string; kept: { token: string } } {
  const token = randomBytes(32).toString('base64url')
  return { address: hashOf(token), kept: { token: secrets.seal(token, 'entry.settings') } }
}

/** Enough of a secret URL to recognise it, too little to use it. */
export const maskAddress = (url: string): string => url.replace(/[^/]*$/, (token) => `••••${token.slice(-4)}`)
