import type { Instant } from '../../shared/time.ts'

/** Work due at a time. A schedule is one job that moves from turn to turn; an entry's pending deliveries share one. */
export type Job = {
  id: string
  kind: string
  /** Null for work that belongs to no entry. */
  entryId: string | null
  lane: string | null
  payload: string | null
  /** The turn that this work belongs to. Further attempts move only `dueAt`. */
  turnAt: Instant
  dueAt: Instant
  attempt: number
  /** Since when the job has been waiting for a free slot on its host, for its current turn. */
  waitingSince: Instant | null
  /** The number of the claim that leased it. A job that is re-planned and claimed again gets another one. */
  claim: number
}

export type NewJob = {
  id: string
  kind: string
  entryId: string | null
  dueAt: Instant
  /** When the job was planned; not needed if it is due immediately. */
  plannedAt?: Instant
  /** The turn that it belongs to, if that differs from `dueAt`. */
  turnAt?: Instant
  /** Jobs of one lane run one after the other, oldest turn first, across all instances. */
  lane?: string
  payload?: unknown
}

export type EntryJob = Job & { entryId: string }

export const isOfEntry = (job: Job): job is EntryJob => job.entryId !== null

/** The outcome of a leased job: its next turn, another attempt at the same turn, or its end (`turnAt` null). */
export type Verdict = {
  id: string
  turnAt: Instant | null
  dueAt: Instant
  attempt: number
  /** Since when the job has been waiting for a slot on its host, if it is postponed for that. */
  waitingSince?: Instant | null
  /** The claim that this ends; if absent, whichever claim of this instance leased the job. */
  claim?: number
}
