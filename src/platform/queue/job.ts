import type { Instant } from '../../shared/time.ts'

/** Work that is due at a time. A schedule is a job that is moved to its next turn, deliveries are one that ends with the last that waits. */
export type Job = {
  id: string
  kind: string
  entryId: string
  lane: string | null
  payload: string | null
  /** The turn this work belongs to; it stays while attempts move `dueAt`. */
  turnAt: Instant
  dueAt: Instant
  /** Attempts before this one. */
  attempt: number
  /** When its turn found no place on its host. */
  waitingSince: Instant | null
  /** The claim that holds it: a job that is planned anew and claimed again is held by another. */
  leaseBy: string
}

export type NewJob = {
  id: string
  kind: string
  entryId: string
  dueAt: Instant
  /** When that was decided, unless it is due at once. */
  plannedAt?: Instant
  /** The turn it belongs to, when that is not when it is due. */
  turnAt?: Instant
  /** Jobs of one lane run one after the other, oldest turn first, on however many instances. */
  lane?: string
  payload?: unknown
}

/** What becomes of a held job: its next turn, another attempt at the same turn, or an end (`turnAt` null). */
export type Verdict = {
  id: string
  turnAt: Instant | null
  dueAt: Instant
  attempt: number
  /** Since when it waits for a place on its host, when that is why it is put off. */
  waitingSince?: Instant | null
  /** The claim that it ends; left out, whichever of ours holds the job. */
  leaseBy?: string
}
