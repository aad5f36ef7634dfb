import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { createTurns, currentTurn } from '../limits/password-turns.ts'

/** OWASP's setting: 128 MiB and about a quarter of a second per hash. Tests lower it. */
export const cost = { log2N: 17, r: 8, p: 1 }

/** One limit for the whole process, since all hashing shares its memory and threads. */
const turns = createTurns({ atOnce: 2, ofStrangers: 1, mostWaiting: 50 })

/** Returns the hash to store for a password. Throws a 429 if too many calls are waiting. */
export function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return turns(currentTurn(), async () => {
    const key = await derive(password, salt, cost)
    const parts = ['scrypt', cost.log2N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')]
    return parts.join('$')
  })
}

/** Whether a stored hash belongs to this password. Throws a 429 if too many calls are waiting. */
export async function verifyPassword({ hash, password }: { hash: string; password: string }): Promise<boolean> {
  const [scheme, log2N, r, p, salt, key] = hash.split('$')
  if (scheme !== 'scrypt' || !salt || !key) throw new Error('A kept password is not in a known form.')
  const storedKey = Buffer.from(key, 'base64url')
  const settings = { log2N: Number(log2N), r: Number(r), p: Number(p) }
  return timingSafeEqual(
    storedKey,
    await turns(currentTurn(), () => derive(password, Buffer.from(salt, 'base64url'), settings)),
  )
}

function derive(password: string, salt: Buffer, { log2N, r, p }: { log2N: number; r: number; p: number }) {
  const N = 2 ** log2N
  return new Promise<Buffer>((resolve, reject) => {
    // Normalize, since keyboards differ in whether they send characters composed or decomposed.
    scrypt(password.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
