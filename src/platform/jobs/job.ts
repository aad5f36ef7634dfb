import type { Instant } from '../../shared/time.ts'

/** Work that is due at a time. A schedule is a job that moves to its next turn; deliveries are one job that ends once none is waiting. */
export type Job = {
  id: string
  kind: string
  /** Null for work that is not an entry's. */
  entryId: string | null
  lane: string | null
  payload: string | null
  /** The turn this work belongs to; attempts move only `dueAt`. */
  turnAt: Instant
  dueAt: Instant
  attempt: number
  /** When its turn found no free slot on its host. */
  waitingSince: Instant | null
  /** The claim that leased it: a job that is planned anew and claimed again is leased by another claim. */
  claim: number
}

export type NewJob = {
  id: string
  kind: string
  entryId: string | null
  dueAt: Instant
  /** When this was decided, unless it is due at once. */
  plannedAt?: Instant
  /** The turn it belongs to, where that differs from `dueAt`. */
  turnAt?: Instant
  /** Jobs of one lane run one after the other, oldest turn first, on however many instances. */
  lane?: string
  payload?: unknown
}

export type EntryJob = Job & { entryId: string }

export const isOfEntry = (job: Job): job is EntryJob => job.entryId !== null

/** What becomes of a leased job: its next turn, another attempt at the same turn, or its end (`turnAt` null). */
export type Verdict = {
  id: string
  turnAt: Instant | null
  dueAt: Instant
  attempt: number
  /** Since when it has been waiting for a slot on its host, if it is postponed for that. */
  waitingSince?: Instant | null
  /** The claim it ends; if absent, whichever claim of ours leased the job. */
  claim?: number
}
