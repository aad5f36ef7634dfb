import { parseJson } from '../../../platform/body.ts'
import { noSuchHost } from '../../../platform/net/failure.ts'
import type { OutboundAnswer } from '../../../platform/net/outbound.ts'
import { days, type Instant, minutes } from '../../../shared/time.ts'
import { formatDate } from '../certificates.ts'
import type { Supabase } from '../contract.ts'
import {
  type Act,
  type Answer,
  bodyText,
  failure,
  inconclusiveOutcome,
  isConclusive,
  longestRead,
  type Memory,
  type Step,
  type Turn,
  unknownAnswer,
} from './act.ts'

/** How long a paused project can be restored, as documented. */
const restorableFor = days(365)
/** The documented statuses of a project that doesn't work. */
const paused = 540
const restricted = 402

type Query = { path: string; what: string; method?: string; body?: string; headers?: Record<string, string> }

/** "A few user requests to the database each day" typically suffice. Queries differ within a turn and between turns. */
function queriesOf({ table, rpc }: Supabase, turn: Turn): Query[] {
  const path = `/rest/v1/${encodeURIComponent(table)}`
  const what = `the table ${table}`
  const row = Math.floor(turn.now / minutes(1)) % 1_000
  return [
    { path: `${path}?select=*&limit=1`, what },
    { path: `${path}?select=*&limit=1&offset=${row}`, what },
    { path: `${path}?select=*`, what, method: 'HEAD', headers: { prefer: 'count=planned', range: '0-0' } },
    ...(rpc === undefined ? [] : [callOf(rpc)]),
  ]
}

const callOf = (rpc: string): Query => ({
  path: `/rest/v1/rpc/${encodeURIComponent(rpc)}`,
  what: `the function ${rpc}`,
  method: 'POST',
  body: '{}',
  headers: { 'content-type': 'application/json' },
})

/** Queries the database several times. A response that isn't from a database ends the turn. */
export const keepSupabase: Act = async (turn) => {
  // Without these settings, another act is in force.
  const supabase = turn.settings.supabase!
  let took = 0
  let status = 200
  for (const { path, what, headers, ...query } of queriesOf(supabase, turn)) {
    const answer = await turn.ask(path, { ...query, headers: { ...headers, apikey: supabase.key } })
    const end = endOf(turn, answer, what)
    if (end) return end
    took += answer.duration
    status = answer.answered ? answer.status : status
  }
  const outcome = { success: true, duration: Math.round(took), count: status } as const
  return { awake: 'awake', memory: { awakeAt: turn.now }, outcome }
}

/** The step that ends the turn; undefined if the response is from a database. */
function endOf(turn: Turn, answer: OutboundAnswer, what: string): Step | undefined {
  const { memory } = turn.state
  const unknownState = { awake: null, memory }
  if (!answer.answered) {
    // The host name of a paused project stops resolving. A name that never resolved is misspelt.
    const isPaused = answer.note === noSuchHost.note && (memory.awakeAt ?? memory.pausedAt) !== undefined
    const outcome = inconclusiveOutcome(answer)
    if (!('success' in outcome) || outcome.success) return { ...turn.state, outcome }
    return isPaused ? pausedStep(turn, outcome) : { ...unknownState, outcome }
  }
  const { status } = answer
  const isPage = /html/i.test(answer.headers['content-type'] ?? '')
  if (status === paused || (isPage && /\bpaused\b/i.test(bodyText(answer))))
    return pausedStep(turn, failure('', answer))
  const fail = (note: string): Step => ({ ...unknownState, outcome: failure(note, answer) })
  if (status === restricted)
    return fail('restricted: the project used up its quota, or bills are unpaid (answered 402)')
  if (status === 401) return fail('Supabase refused the key (answered 401)')
  if (!isConclusive(answer)) return { ...unknownState, outcome: inconclusiveOutcome(answer) }
  if (status === 404 && !isPage) return fail(`${what} does not exist (answered 404)`)
  const isOfDatabase = status === 204 || status === 200 || status === 206
  const isJson = answer.body.length === 0 ? !isPage : parseJson(answer.body) !== undefined || isCut(answer)
  return isOfDatabase && isJson ? undefined : { ...unknownState, outcome: unknownAnswer('Supabase', answer) }
}

const isCut = ({ body, headers }: Answer) => body.length >= longestRead && /json/i.test(headers['content-type'] ?? '')

/** Ends the turn with a note of where and until when the project can certainly be restored. */
function pausedStep(turn: Turn, outcome: ReturnType<typeof failure>): Step {
  const { memory } = turn.state
  const nextMemory = { ...memory, pausedAt: memory.pausedAt ?? turn.now }
  const until = restorableUntil(nextMemory, turn.now)
  if (turn.now >= until) {
    const note = "gone: paused for more than a year, after which Supabase can't restore a project"
    return { awake: 'gone', memory: nextMemory, outcome: { ...outcome, note } }
  }
  const note = `paused: restore it at ${dashboardOf(turn.settings.url)} until ${formatDate(until)}`
  return { awake: 'paused', memory: nextMemory, outcome: { ...outcome, note } }
}

/** Until when the project can certainly be restored: it was paused at some time after it was last found awake. */
export const restorableUntil = ({ awakeAt, pausedAt }: Memory, now: Instant): Instant =>
  (awakeAt ?? pausedAt ?? now) + restorableFor

export const dashboardOf = (url: string): string =>
  `https://supabase.com/dashboard/project/${new URL(url).hostname.split('.', 1)[0]}`
