import * as z from 'zod/mini'
import type { SettingsOf } from '../../../entries/contract.ts'
import type { LastSeen } from '../../../entries/stored-entry.ts'
import type { Outcome } from '../../../entries/tool-server.ts'
import { isUnreachable } from '../../../platform/net/failure.ts'
import type { Held, OutboundAnswer, OutboundRequest } from '../../../platform/net/outbound.ts'
import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import type { keepalive } from '../contract.ts'
import { asOf } from '../hosts/terms.ts'

/** What an act has to know in its next turn, which may be another instance's. */
export const Memory = z.object({
  /** Since when it has been waking up, whether it was asleep then, and when it was last asked for and woken. */
  wakingSince: z.optional(z.int()),
  wasAsleep: z.optional(z.boolean()),
  askedAt: z.optional(z.int()),
  wokenAt: z.optional(z.int()),
  /** When it was last seen awake, or first seen paused. */
  awakeAt: z.optional(z.int()),
  pausedAt: z.optional(z.int()),
  /** For which date, and how many days before it, its owner was notified. */
  noticedDue: z.optional(z.string()),
  noticedDays: z.optional(z.int()),
  /** Of a plain request: since when it has been finding out after which idle time the app sleeps. */
  findingSince: z.optional(z.int()),
})
export type Memory = z.infer<typeof Memory>

export type Left = { awake: LastSeen | null; memory: Memory }

export type Turn = {
  settings: SettingsOf<typeof keepalive>
  left: Left
  now: Instant
  /** Sends a request to a path of the app's origin; follows no redirect. */
  ask(path: string, options?: Pick<OutboundRequest, 'method' | 'headers' | 'body'>): Promise<OutboundAnswer>
  /** Opens a WebSocket to a path of the app's origin and holds it for this time. */
  hold(path: string, options: { protocol: string; time: Milliseconds }): Promise<Held>
}

/** What a turn came to, and what it leaves to the next. `again` in its outcome asks for a next step of the same turn. */
export type Step = Left & {
  outcome: Outcome
  /** It was awake when it was last looked at, and no longer is. */
  foundAsleep?: true
  /** By when its owner has to extend it, and where, in words. */
  notice?: string
}

export type Act = (turn: Turn) => Promise<Step>

type Answer = Extract<OutboundAnswer, { answered: true }>

type Failed = Extract<Outcome, { success: false }>

/** As much of an answer is read. */
export const longestRead = 65_536

export const failure = (note: string, answer: { status?: number; duration: Milliseconds }): Failed => ({
  success: false,
  note,
  duration: Math.round(answer.duration),
  ...(answer.status !== undefined && { count: answer.status }),
})

/** An answer that an act has no facts about. */
export const unknownAnswer = (host: string, answer: Answer): Failed =>
  failure(`${host} answered in a way that ToolBox does not know (facts of ${asOf})`, answer)

/** Whether an answer says anything of the app, rather than of trouble that its host has. */
export const isTelling = (answer: OutboundAnswer): answer is Answer =>
  answer.answered && answer.status !== 429 && answer.status < 500

/** What it means for a run that no such answer came. */
export function setbackOf(answer: OutboundAnswer): Outcome {
  if (!answer.answered) return unanswered(answer)
  const { status } = answer
  return { ...failure(`answered ${status}`, answer), ...(status >= 502 && status <= 504 && { transient: true }) }
}

/** What it means for a run that no answer came. */
export function unanswered(answer: Extract<OutboundAnswer, { answered: false }>): Outcome {
  if (answer.wait !== undefined) return { again: answer.wait, crowded: true }
  if (answer.failure === 'internal') return { again: seconds(30), why: answer.note }
  return {
    success: false,
    duration: Math.round(answer.duration),
    note: answer.note,
    transient: answer.failure === 'dns' || answer.failure === 'connect',
    unreachable: isUnreachable(answer.failure),
  }
}

const text = new TextDecoder()
export const bodyOf = ({ body }: Answer): string => text.decode(body)
