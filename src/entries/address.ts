import { createHash, randomBytes } from 'node:crypto'
import type { Context } from '../platform/context.ts'

/** What is kept of a token of 256 random bits: its hash to find the entry by, and the token itself, sealed. */
export function createToken({ secrets }: Pick<Context, 'secrets'>): { address: string; kept: { token: string } } {
  const token = randomBytes(32).toString('base64url')
  return { address: addressOf(token), kept: { token: secrets.seal(token) } }
}

/** What an entry with this token is found by. */
export const addressOf = (token: string): string => createHash('sha256').update(token).digest('hex')
