import { hash, randomUUID } from 'node:crypto'
import type { Instant } from '../../../shared/time.ts'

export type NextId = () => { id: string; at: Instant }

/** Unique ids that sort by when they were made, even within a millisecond; with that instant. */
export function eventIds(now: () => Instant): NextId {
  const ours = randomUUID().slice(-12)
  let last: Instant = 0
  let serial = 0
  return () => {
    const at = Math.max(now(), last)
    serial = at === last ? serial + 1 : 0
    last = at
    return { id: firstIdOf(at) + serial.toString(16).padStart(5, '0') + ours, at }
  }
}

/** The beginning of the ids of this millisecond. */
export const firstIdOf = (at: Instant): string => Math.max(0, at).toString(16).padStart(12, '0')

/** The first 128 bits of a digest: unique, and small in an index. */
export const shortKey = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)
