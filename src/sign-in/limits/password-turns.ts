import { AsyncLocalStorage } from 'node:async_hooks'
import { HttpError } from '../../shared/http-error.ts'

/** Whose turn it is: `owner` shares turns with the other owners, and who is known keeps a worker that strangers can't take. */
export type Turn = { owner: string; isKnown: boolean }

export const tooBusy = () =>
  new HttpError(429, 'Too many people are signing in right now. Try again in a few seconds.', { retryAfter: 5 })

/** Runs work at most so many at once, of which only some may be of strangers. Owners take turns, so that none waits behind all work of another. */
export function takingTurns({
  atOnce,
  ofStrangers,
  mostWaiting,
}: Record<'atOnce' | 'ofStrangers' | 'mostWaiting', number>) {
  const known = { running: 0, most: atOnce, waiting: waitingLine() }
  const strangers = { running: 0, most: ofStrangers, waiting: waitingLine() }
  const lanes = [known, strangers]

  const startNext = () => {
    if (known.running + strangers.running >= atOnce) return
    const lane = lanes.find(({ running, most, waiting }) => running < most && waiting.size() > 0)
    if (!lane) return
    lane.running += 1
    lane.waiting.shift()?.()
  }

  return async <T>({ owner, isKnown }: Turn, work: () => Promise<T>): Promise<T> => {
    const lane = isKnown ? known : strangers
    if (lane.waiting.size() >= mostWaiting) throw tooBusy()
    await new Promise<void>((start) => {
      lane.waiting.push(owner, start)
      startNext()
    })
    try {
      return await work()
    } finally {
      lane.running -= 1
      startNext()
    }
  }
}

/** What waits, by owner; the next one is of the owner whose last turn is longest ago. */
function waitingLine() {
  const byOwner = new Map<string, (() => void)[]>()
  let size = 0
  return {
    size: () => size,
    push(owner: string, start: () => void) {
      size += 1
      byOwner.set(owner, [...(byOwner.get(owner) ?? []), start])
    },
    shift(): (() => void) | undefined {
      const [first] = byOwner
      if (!first) return undefined
      const [owner, [next, ...others]] = first
      byOwner.delete(owner)
      if (others.length > 0) byOwner.set(owner, others)
      size -= 1
      return next
    },
  }
}

const current = new AsyncLocalStorage<Turn>()
/** Passwords that are checked or hashed within this work are checked in this turn. */
export const inTurnOf = <T>(turn: Turn, work: () => Promise<T>): Promise<T> => current.run(turn, work)
/** Without a turn it is somebody who may choose a password: a signed-in user, or one with a link. */
export const currentTurn = (): Turn => current.getStore() ?? { owner: 'chosen', isKnown: true }
