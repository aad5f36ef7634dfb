import { randomBytes } from 'node:crypto'
import type { Context } from '../platform/context.ts'
import { hashOf } from '../platform/crypto/secrets.ts'

/** Creates a token of 256 random bits. Returns the hash that identifies the entry, and the encrypted token to store. */
export function createToken({ secrets }: Pick<Context, 'secrets'>): { address: string; sealed: { token: string } } {
  const token = randomBytes(32).toString('base64url')
  return { address: hashOf(token), sealed: { token: secrets.seal(token, 'entry.settings') } }
}

/** Masks the end of a secret URL: enough remains to recognize it, too little to use it. */
export const maskAddress = (url: string): string => url.replace(/[^/]*$/, (token) => `••••${token.slice(-4)}`)
