import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Context } from '../../platform/context.ts'
import { tooBusy } from './password.ts'
import { storedRateLimiter } from './stored-rate-limit.ts'

const mostFailures = 5
/** Leaves some of the places where passwords wait to those who set one. */
const mostUnderWay = 40
/** Leaves most of them to others than one address with many names. */
const mostOfOne = 10

/** Lets somebody at one address guess wrong five times in a quarter of an hour; others with the same name are free. */
export type GuessLimit = {
  /** Runs a guess; only the answer false counts. Throws a 429 once too many were false, or too many are waiting. */
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

/** Whoever has a /64 has all its addresses. */
function network(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`
}

/** Guesses with one key wait for each other, so that right ones never use up the limit of wrong ones. */
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
