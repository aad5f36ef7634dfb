import { createHash, randomUUID } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Db } from '../server/db/open.ts'
import { Fault } from '../shared/fault.ts'
import { type Instant, type Milliseconds, minutes } from '../shared/time.ts'
import { tooBusy } from '../users/password.ts'

const mostFailures = 5
export const failureWindow: Milliseconds = minutes(15)
/** Leaves some of the places where passwords wait to those who set one. */
const mostUnderWay = 40
/** Leaves most of them to others than one address with many names. */
const mostOfOne = 10

/** Lets somebody at one address guess wrong five times in a quarter of an hour; others with the same name are free. */
export type GuessLimit = {
  /** Runs a guess; only the answer false counts. Throws a 429 once too many were false, or too many are waiting. */
  guess(who: string, address: string, check: () => Promise<boolean>): Promise<boolean>
}

/** Counts in the database, so that it holds over restarts and for all instances. */
export function guessLimit({ db, now }: { db: Db; now: () => Instant }): GuessLimit {
  const inTurn = oneAtATime()
  return {
    async guess(who, address, check) {
      const from = network(address)
      if (inTurn.size() >= mostUnderWay || inTurn.sizeOf(from) >= mostOfOne) throw tooBusy()
      const key = `guess:${createHash('sha256').update(`${who}\n${from}`).digest('hex')}`
      return inTurn.run(key, from, async () => {
        await take(db, key, now())
        let right: boolean
        try {
          right = await check()
        } catch (error) {
          await giveBack(db, key)
          throw error
        }
        if (right) await db.q.deleteFrom('rate_limits').where('key', '=', key).execute()
        return right
      })
    },
  }
}

/** Takes one of the guesses before it is made: many at once get no more than one after the other. */
async function take(db: Db, key: string, now: Instant): Promise<void> {
  const over = now - failureWindow
  const taken = await db.q
    .insertInto('rate_limits')
    .values({ id: randomUUID(), key, count: 1, last_request: now })
    .onConflict((on) =>
      on
        .column('key')
        .doUpdateSet((eb) => {
          const starts = eb('rate_limits.last_request', '<=', over)
          return {
            count: eb
              .case()
              .when(starts)
              .then(1)
              .else(eb('rate_limits.count', '+', 1))
              .end(),
            last_request: eb.case().when(starts).then(now).else(eb.ref('rate_limits.last_request')).end(),
          }
        })
        .where((eb) => eb.or([eb('rate_limits.last_request', '<=', over), eb('rate_limits.count', '<', mostFailures)])),
    )
    .returning('count')
    .executeTakeFirst()
  if (taken) return
  const row = await db.q.selectFrom('rate_limits').select('last_request').where('key', '=', key).executeTakeFirst()
  const left = (row?.last_request ?? now) + failureWindow - now
  const wait = Math.max(1, Math.ceil(left / minutes(1)))
  throw new Fault(429, `Too many wrong passwords. Try again in ${wait === 1 ? 'a minute' : `${wait} minutes`}.`, {
    retryAfter: left / 1_000,
  })
}

/** A guess that could not be checked was none. */
const giveBack = (db: Db, key: string) =>
  db.q
    .updateTable('rate_limits')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute()

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
