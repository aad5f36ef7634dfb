import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { plainAddress, portOf } from '../address.ts'
import type { Deadline } from '../connection/deadline.ts'
import { busy, type Failure, isFailure } from '../failure.ts'
import type { Visitor } from '../outbound.ts'
import type { Patience, Place, VisitPlaces } from './places.ts'

/** One connection of a visit. */
export type Hop = {
  /** Waits for a place at this address, but not for long. */
  enter(address: string): Promise<Failure | undefined>
  /** Enters this address too, if it has a place now. */
  mayTry(address: string): boolean
  leave(): void
}

/** The worker has few visits of an owner to one host in flight, so all can wait in line. */
const exemptPatience: Patience = { wait: seconds(10), hasWaited: true }

/** A connection that isn't limited. */
export const freeHop: Hop = { enter: async () => undefined, mayTry: () => true, leave() {} }

/** A connection on behalf of somebody, who takes a place at each address it tries. */
export function limitedHop(places: VisitPlaces, { url, visitor, isExempt, limit, patience }: HopOptions): Hop {
  const entered = new Map<string, () => void>()
  let first: string | undefined
  const placeOf = (address: string): Place =>
    isExempt(url, address)
      ? { name: `${url.hostname}:${portOf(url)}`, hasRate: false }
      : { name: `${visitor.ownerId} ${plainAddress(address)}`, hasRate: true }

  const mayTry = (address: string) => {
    if (address === first) return true
    const place = placeOf(address)
    const leave = entered.get(place.name) ?? places.tryEnter(place)
    if (leave) entered.set(place.name, leave)
    return leave !== undefined
  }
  const wait = (place: Place, patience: Patience) =>
    limit.untimed<(() => void) | Milliseconds>((settle) => {
      let isOver = false
      const turn = places.enter(place, patience)
      void turn.entered.then((outcome) => {
        if (isOver && typeof outcome !== 'number') outcome()
        else settle(outcome)
      })
      return () => {
        isOver = true
        turn.giveUp()
      }
    })

  return {
    async enter(address) {
      const place = placeOf(address)
      const its = place.hasRate ? patience : exemptPatience
      const leave = places.enterAtOnce(place, its) ?? (await wait(place, its))
      if (typeof leave === 'number') return busy(leave)
      if (isFailure(leave)) return leave
      entered.set(place.name, leave)
      first = address
      return undefined
    },
    mayTry,
    leave() {
      for (const leave of entered.values()) leave()
      entered.clear()
    },
  }
}

type HopOptions = {
  url: URL
  visitor: Visitor
  /** Whether this address is the operator's choice. */
  isExempt: (url: URL, address: string) => boolean
  limit: Deadline
  patience: Patience
}
