import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Context } from '../../platform/context.ts'
import { tooBusy } from './password.ts'
import { storedRateLimiter } from './stored-rate-limit.ts'

const mostFailures = 5
/** Leaves some room in the queue of passwords for users who set one. */
const mostUnderWay = 40
/** Leaves most of the queue to others if one address tries many names. */
const mostOfOne = 10

/** Allows five wrong guesses in a quarter of an hour per name and address; the same name is not blocked at other addresses. */
export type GuessLimit = {
  /** Runs `check` and counts it if it returns false. Throws a 429 after too many wrong guesses, or if too many are waiting. */
  guess(who: string, address: string, check: () => Promise<boolean>): Promise<boolean>
}

export function guessLimit(context: Pick<Context, 'db' | 'now'>): GuessLimit {
  const inTurn = oneAtATime()
  const failures = storedRateLimiter(context, { most: mostFailures, refusal: 'Too many wrong passwords.' })
  return {
    async guess(who, address, check) {
      const from = network(address)
      if (inTurn.size() >= mostUnderWay || inTurn.sizeOf(from) >= mostOfOne) throw tooBusy()
      const key = `guess:${createHash('sha256').update(`${who}\n${from}`).digest('hex')}`
      return inTurn.run(key, from, async () => {
        await failures.take(key)
        let right: boolean
        try {
          right = await check()
        } catch (error) {
          await failures.giveBack(key)
          throw error
        }
        if (right) await failures.forget(key)
        return right
      })
    },
  }
}

/** An IPv6 user has all addresses of a /64, so they count as one. */
function network(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`
}

/** Runs guesses with the same key one after the other, so that right ones never use up the limit of wrong ones. */
function oneAtATime() {
  const last = new Map<string, Promise<unknown>>()
  const from: string[] = []
  return {
    size: () => from.length,
    sizeOf: (network: string) => from.filter((one) => one === network).length,
    async run<T>(key: string, network: string, work: () => Promise<T>): Promise<T> {
      from.push(network)
      const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
      last.set(key, turn)
      try {
        return await turn
      } finally {
        from.splice(from.indexOf(network), 1)
        if (last.get(key) === turn) last.delete(key)
      }
    },
  }
}
