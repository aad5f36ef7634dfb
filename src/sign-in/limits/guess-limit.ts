import type { Context } from '../../platform/context.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { minutes } from '../../shared/time.ts'
import { isKnownNetwork } from './known-places.ts'
import { runInTurn, type Turn, tooBusy } from './password-turns.ts'
import { countAttempt, hashedKey, networkCounts, releaseAll, storedRateLimiter } from './stored-rate-limit.ts'

/** Maximum pending guesses of strangers; the rest of the password queue is for users who set a password. */
const mostOfStrangers = 40
/** Maximum pending guesses per owner, so that others get a turn. */
const mostOfOne = 10

/** A guess at an account's password from an address; `userId` is undefined for an unknown username. */
type Guess = { name: string; userId: string | undefined; address: string }

export type GuessLimit = ReturnType<typeof guessLimit>

/**
 * Limits wrong guesses to five in 15 minutes per account and network, and strangers' also per network and per account.
 * A caller from a network where the user has signed in is no stranger: attackers elsewhere can't lock the user out.
 */
export function guessLimit(
  context: Pick<Context, 'db' | 'now'>,
  /** Proofs within a session are counted separately, so that a stolen session can't lock its user out of signing in. */
  purpose: 'sign-in' | 'proof' = 'sign-in',
) {
  const keyOf = (...parts: string[]) => hashedKey('guess', purpose, ...parts)
  const underWay = oneAtATime()
  const limiter = (most: number, refusal = 'Too many wrong passwords.', span = minutes(15)) =>
    storedRateLimiter(context, { most, refusal, span })
  const ofOne = limiter(5)
  // Slows guessing down without a lockout: a user who knows the password can try again within minutes.
  const ofAccount = limiter(10, 'Too many wrong passwords for this user.', minutes(5))
  const refusal = 'Too many wrong passwords from your network.'
  const ofNetworks = networkCounts(context, { most: [20, 60, 100], refusal, keyOf: (one) => keyOf('network', one) })

  return {
    /** Runs `check` and counts a false result. Throws a 429 after too many wrong guesses or with too many pending. */
    async guess({ name, userId, address }: Guess, check: () => Promise<boolean>): Promise<boolean> {
      const networks = networksOf(address)
      const isKnown = userId !== undefined && (await isKnownNetwork(context.db.q, userId, address))
      const turn = { isKnown, owner: isKnown ? userId : (networks.at(-1) ?? address) }
      const account = userId === undefined ? `name ${name}` : `user ${userId}`
      const key = keyOf(account, networks[0])
      const one = { limiter: ofOne, key }
      // Check networks first, so that a blocked network adds no rows for further usernames.
      const all = () => [...ofNetworks(address), one, { limiter: ofAccount, key: keyOf(account) }]
      return underWay.run(key, turn, async () => {
        const counts = isKnown ? [one] : all()
        if (!(await countAttempt(counts, () => runInTurn(turn, check)))) return false
        await ofOne.forget(key)
        await releaseAll(counts.filter((count) => count !== one))
        return true
      })
    },
    /** Clears the wrong guesses of a user who has proved their identity in another way. */
    async forget({ userId, address }: { userId: string; address: string }): Promise<void> {
      const account = `user ${userId}`
      await ofOne.forget(keyOf(account, networksOf(address)[0]))
      await ofAccount.forget(keyOf(account))
    },
  }
}

/** Runs guesses per key one at a time, so right ones never use up the limit. Throws a 429 if too many are pending. */
function oneAtATime() {
  const last = new Map<string, Promise<unknown>>()
  const turns: Turn[] = []
  const requireRoom = ({ owner, isKnown }: Turn) => {
    const alike = turns.filter((other) => other.isKnown === isKnown)
    const own = alike.filter((other) => other.owner === owner)
    if (own.length >= mostOfOne || (!isKnown && alike.length >= mostOfStrangers)) throw tooBusy()
  }
  return {
    async run<T>(key: string, turn: Turn, work: () => Promise<T>): Promise<T> {
      requireRoom(turn)
      turns.push(turn)
      const mine = (last.get(key) ?? Promise.resolve()).then(work, work)
      last.set(key, mine)
      try {
        return await mine
      } finally {
        turns.splice(turns.indexOf(turn), 1)
        if (last.get(key) === mine) last.delete(key)
      }
    },
  }
}
