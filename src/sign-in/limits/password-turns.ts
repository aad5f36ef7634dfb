import { AsyncLocalStorage } from 'node:async_hooks'
import { fairQueue } from '../../platform/fair-queue.ts'
import { HttpError } from '../../shared/http-error.ts'

/** Owners take turns with each other; one worker is reserved for known users, so that strangers can't take them all. */
export type Turn = { owner: string; isKnown: boolean }

export const tooBusy = () =>
  new HttpError(429, 'Too many people are signing in right now. Try again in a few seconds.', { retryAfter: 5 })

/** Limits how many tasks run at once, and how many of them for strangers, who all share the turns of one owner. */
export function createTurns({
  atOnce,
  ofStrangers,
  mostWaiting,
}: Record<'atOnce' | 'ofStrangers' | 'mostWaiting', number>) {
  const all = fairQueue({ concurrency: atOnce, mostWaiting, refusal: tooBusy })
  const strangers = fairQueue({ concurrency: ofStrangers, mostWaiting, refusal: tooBusy })
  return <T>({ owner, isKnown }: Turn, work: () => Promise<T>): Promise<T> =>
    isKnown ? all.run(owner, work) : strangers.run(owner, () => all.run('strangers', work))
}

const current = new AsyncLocalStorage<Turn>()
/** Passwords that are checked or hashed within `work` use this turn. */
export const runInTurn = <T>(turn: Turn, work: () => Promise<T>): Promise<T> => current.run(turn, work)
/** Outside of a turn, the password is being chosen by a user who is signed in or has a link. */
export const currentTurn = (): Turn => current.getStore() ?? { owner: 'chosen', isKnown: true }
