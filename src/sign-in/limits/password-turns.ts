import { AsyncLocalStorage } from 'node:async_hooks'
import { fairQueue } from '../../platform/fair-queue.ts'
import { HttpError } from '../../shared/http-error.ts'

/** Whose turn it is: `owner` shares turns with the other owners, and who is known keeps a worker that strangers can't take. */
export type Turn = { owner: string; isKnown: boolean }

export const tooBusy = () =>
  new HttpError(429, 'Too many people are signing in right now. Try again in a few seconds.', { retryAfter: 5 })

/** Limits how many works go on at once, and how many of strangers, who together have the turns of one owner. */
export function takingTurns({
  atOnce,
  ofStrangers,
  mostWaiting,
}: Record<'atOnce' | 'ofStrangers' | 'mostWaiting', number>) {
  const all = fairQueue({ most: atOnce, mostWaiting, refusal: tooBusy })
  const strangers = fairQueue({ most: ofStrangers, mostWaiting, refusal: tooBusy })
  return <T>({ owner, isKnown }: Turn, work: () => Promise<T>): Promise<T> =>
    isKnown ? all.run(owner, work) : strangers.run(owner, () => all.run('strangers', work))
}

const current = new AsyncLocalStorage<Turn>()
/** Passwords that are checked or hashed within this work are checked in this turn. */
export const inTurnOf = <T>(turn: Turn, work: () => Promise<T>): Promise<T> => current.run(turn, work)
/** Without a turn it is somebody who may choose a password: a signed-in user, or one with a link. */
export const currentTurn = (): Turn => current.getStore() ?? { owner: 'chosen', isKnown: true }
