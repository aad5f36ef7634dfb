import type { Context } from '../../platform/context.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { minutes } from '../../shared/time.ts'
import { isKnownAt } from './known-places.ts'
import { inTurnOf, type Turn, tooBusy } from './password-turns.ts'
import { giveBackAll, hashedKey, networkCounts, storedRateLimiter, takeAll } from './stored-rate-limit.ts'

/** How many guesses of strangers may be under way; the rest of the queue of passwords is for users who set one. */
const mostOfStrangers = 40
/** How many guesses one owner may have under way, so that others find room. */
const mostOfOne = 10

/** Whose password is guessed, from where. `userId` is undefined if nobody has that name. */
type Guess = { name: string; userId: string | undefined; address: string }

export type GuessLimit = ReturnType<typeof guessLimit>

/**
 * Limits wrong guesses: five in a quarter of an hour for one account from one network, and for strangers also over all
 * accounts from one network and over all networks for one account. Who has signed in to an account from a network before
 * is no stranger there, so that nobody can keep them out from elsewhere.
 */
export function guessLimit(
  context: Pick<Context, 'db' | 'now'>,
  /** What is guessed for: a proof within a session is counted apart, so that a stolen one locks nobody out of signing in. */
  purpose: 'sign-in' | 'proof' = 'sign-in',
) {
  const keyOf = (...parts: string[]) => hashedKey('guess', purpose, ...parts)
  const underWay = oneAtATime()
  const limiter = (most: number, refusal = 'Too many wrong passwords.', span = minutes(15)) =>
    storedRateLimiter(context, { most, refusal, span })
  const ofOne = limiter(5)
  // A slow-down and no lock: a user who knows the password gets a turn within minutes.
  const ofAccount = limiter(10, 'Too many wrong passwords for this user.', minutes(5))
  const refusal = 'Too many wrong passwords from your network.'
  const ofNetworks = networkCounts(context, { most: [20, 60, 100], refusal, keyOf: (one) => keyOf('network', one) })

  return {
    /** Runs `check` and counts it if it returns false. Throws a 429 after too many wrong guesses, or if too many are waiting. */
    async guess({ name, userId, address }: Guess, check: () => Promise<boolean>): Promise<boolean> {
      const networks = networksOf(address)
      const isKnown = userId !== undefined && (await isKnownAt(context.db.q, userId, address))
      const turn = { isKnown, owner: isKnown ? userId : (networks.at(-1) ?? address) }
      const account = userId === undefined ? `name ${name}` : `user ${userId}`
      const key = keyOf(account, networks[0])
      const one = { limiter: ofOne, key }
      // The networks first: of one that is stopped, no more names are written down.
      const all = () => [...ofNetworks(address), one, { limiter: ofAccount, key: keyOf(account) }]
      return underWay.run(key, turn, async () => {
        const counts = isKnown ? [one] : all()
        await takeAll(counts)
        let right: boolean
        try {
          right = await inTurnOf(turn, check)
        } catch (error) {
          await giveBackAll(counts)
          throw error
        }
        if (!right) return false
        await ofOne.forget(key)
        await giveBackAll(counts.filter((count) => count !== one))
        return true
      })
    },
    /** Forgets the wrong guesses of a user who has proved otherwise who they are. */
    async forget({ userId, address }: { userId: string; address: string }): Promise<void> {
      const account = `user ${userId}`
      await ofOne.forget(keyOf(account, networksOf(address)[0]))
      await ofAccount.forget(keyOf(account))
    },
  }
}

/** Runs guesses with the same key one after the other, so that right ones never use up the limit of wrong ones. Throws a 429 if too many are under way. */
function oneAtATime() {
  const last = new Map<string, Promise<unknown>>()
  const turns: Turn[] = []
  const insistOnRoom = ({ owner, isKnown }: Turn) => {
    const alike = turns.filter((other) => other.isKnown === isKnown)
    const own = alike.filter((other) => other.owner === owner)
    if (own.length >= mostOfOne || (!isKnown && alike.length >= mostOfStrangers)) throw tooBusy()
  }
  return {
    async run<T>(key: string, turn: Turn, work: () => Promise<T>): Promise<T> {
      insistOnRoom(turn)
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
