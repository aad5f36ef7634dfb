import * as z from 'zod/mini'
import type { SettingsOf } from '../../../entries/contract.ts'
import type { LastSeen } from '../../../entries/stored-entry.ts'
import type { Outcome } from '../../../entries/tool-server.ts'
import { isUnreachable } from '../../../platform/net/failure.ts'
import type { HoldResult, OutboundAnswer, OutboundRequest } from '../../../platform/net/outbound.ts'
import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import type { keepalive } from '../contract.ts'
import { asOf } from '../hosts/terms.ts'

/** State for an act's next turn, which another instance may run. Times are epoch milliseconds. */
export const Memory = z.object({
  /** When waking the app began, whether the app was asleep then, and when it was last checked and woken. */
  wakingSince: z.optional(z.int()),
  wasAsleep: z.optional(z.boolean()),
  askedAt: z.optional(z.int()),
  wokenAt: z.optional(z.int()),
  /** When the app was last found awake, and first found paused. */
  awakeAt: z.optional(z.int()),
  pausedAt: z.optional(z.int()),
  /** The date of the last notice to the owner, and how many days before that date it was due. */
  noticedDue: z.optional(z.string()),
  noticedDays: z.optional(z.int()),
  /** For plain requests: when the search for the app's idle time began. */
  findingSince: z.optional(z.int()),
})
export type Memory = z.infer<typeof Memory>

export type ActState = { awake: LastSeen | null; memory: Memory }

export type Turn = {
  settings: SettingsOf<typeof keepalive>
  state: ActState
  now: Instant
  /** Sends a request to a path of the app's origin, without following redirects. */
  ask(path: string, options?: Pick<OutboundRequest, 'method' | 'headers' | 'body'>): Promise<OutboundAnswer>
  hold(path: string, options: { protocol: string; time: Milliseconds }): Promise<HoldResult>
}

/** The outcome of a turn, and the state for the next one. `retryIn` in the outcome requests another step of this turn. */
export type Step = ActState & {
  outcome: Outcome
  foundAsleep?: true
  /** The text of a notice: by when and where the owner has to extend the app. */
  notice?: string
}

export type Act = (turn: Turn) => Promise<Step>

export type Answer = Extract<OutboundAnswer, { answered: true }>

type FailedOutcome = Extract<Outcome, { success: false }>

/** The maximum number of bytes to read of a response. */
export const longestRead = 65_536

export const failure = (note: string, answer: { status?: number; duration: Milliseconds }): FailedOutcome => ({
  success: false,
  note,
  duration: Math.round(answer.duration),
  ...(answer.status !== undefined && { count: answer.status }),
})

export const unknownAnswer = (host: string, answer: Answer): FailedOutcome =>
  failure(`${host} answered in a way that ToolBox does not know (facts of ${asOf})`, answer)

/** Whether a response is about the app rather than about a problem of its host. */
export const isConclusive = (answer: OutboundAnswer): answer is Answer =>
  answer.answered && answer.status !== 429 && answer.status < 500

/** The outcome of a run if no such response arrived. */
export function inconclusiveOutcome(answer: OutboundAnswer): Outcome {
  if (!answer.answered) return noAnswerOutcome(answer)
  const { status } = answer
  return { ...failure(`answered ${status}`, answer), ...(status >= 502 && status <= 504 && { transient: true }) }
}

export function noAnswerOutcome(answer: Extract<OutboundAnswer, { answered: false }>): Outcome {
  if (answer.wait !== undefined) return { retryIn: answer.wait, crowded: true }
  if (answer.failure === 'internal') return { retryIn: seconds(30), why: answer.note }
  return {
    success: false,
    duration: Math.round(answer.duration),
    note: answer.note,
    transient: answer.failure === 'dns' || answer.failure === 'connect',
    unreachable: isUnreachable(answer.failure),
  }
}

const text = new TextDecoder()
export const bodyText = ({ body }: Answer): string => text.decode(body)
