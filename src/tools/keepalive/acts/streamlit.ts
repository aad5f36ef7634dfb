import * as z from 'zod/mini'
import { parseJson } from '../../../platform/body.ts'
import { type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import {
  type Act,
  type Answer,
  bodyText,
  failure,
  inconclusiveOutcome,
  isConclusive,
  type Memory,
  type Step,
  type Turn,
  unknownAnswer,
} from './act.ts'

// Undocumented: four people measured this in 2026. A GET of the page neither wakes the app nor shows if it is awake.
const statusPath = '/api/v2/app/status'
const resumePath = '/api/v2/app/resume'
const healthPath = '/~/+/_stcore/health'
const sessionPath = '/~/+/_stcore/stream'
/** Values of `status`. Any other value means that the app is starting. */
const running = 5
const asleep = 12
const Status = z.object({ status: z.int() })

/** A session of this length counts as a visit. */
const sessionDuration = seconds(15)
/** Waking took from half a minute to 14 minutes. */
const longestWaking = minutes(20)
const askAgainAfter = seconds(15)
/** When to repeat a request to wake the app, which may have been lost. */
const wakeAgainAfter = minutes(3)
/** A turn that was interrupted for this time starts again. */
const interruptedAfter = minutes(5)

/** Checks whether the app sleeps, wakes it, checks again until it runs, and then opens a session as a visitor does. */
export const keepStreamlit: Act = async (turn) => {
  const answer = await turn.ask(statusPath)
  if (!isConclusive(answer)) {
    const outcome = inconclusiveOutcome(answer)
    return isWaking(turn) && 'success' in outcome
      ? waitOrEnd(turn, turn.state.memory, outcome)
      : stepWithoutAnswer(turn, outcome)
  }
  const { status } = answer
  if (status >= 300 && status < 400 && /auth|log-?in|sign-?in/i.test(answer.headers.location ?? '')) {
    const note = `answered ${status}: the app is private and requires signing in`
    return { ...nothingKnown, outcome: failure(note, answer) }
  }
  const report = status === 200 ? Status.safeParse(parseJson(answer.body)).data : undefined
  if (!report) return { ...nothingKnown, outcome: unknownAnswer('Streamlit', answer) }
  if (report.status === running) return holdSession(turn, answer)
  const memory = isWaking(turn) ? turn.state.memory : { wakingSince: turn.now, wasAsleep: report.status === asleep }
  const still = failure(`still ${report.status === asleep ? 'asleep' : 'starting'} after 20 minutes`, answer)
  if (report.status === asleep && turn.now - (memory.wokenAt ?? Number.NEGATIVE_INFINITY) >= wakeAgainAfter)
    return wake(turn, memory, answer)
  return waitOrEnd(turn, memory, still, report.status === asleep ? 'asleep' : 'waking')
}

const nothingKnown = { awake: null, memory: {} } as const

/** The result of a step without an answer: if it is repeated, the state is unchanged, otherwise unknown. */
const stepWithoutAnswer = ({ state }: Turn, outcome: Step['outcome']): Step => ({
  ...('retryIn' in outcome ? state : nothingKnown),
  outcome,
})

/** Whether this is a later step of a turn that found the app asleep or starting. */
const isWaking = ({ state: { memory }, now }: Turn): boolean =>
  memory.wakingSince !== undefined && now - (memory.askedAt ?? 0) < interruptedAfter

/** Requests another step shortly, or ends the turn with this outcome if it has taken too long. */
function waitOrEnd({ now }: Turn, memory: Memory, last: Step['outcome'], awakeAtEnd: Step['awake'] = 'asleep'): Step {
  if (now - (memory.wakingSince ?? now) >= longestWaking) return { outcome: last, awake: awakeAtEnd, memory: {} }
  const outcome = { retryIn: askAgainAfter, isWaiting: true } as const
  return { outcome, awake: 'waking', memory: { ...memory, askedAt: now } }
}

/** Wakes the app as the button on its page does. */
async function wake(turn: Turn, memory: Memory, statusAnswer: Answer): Promise<Step> {
  const token = statusAnswer.headers['x-csrf-token']
  const cookie = /_streamlit_csrf=[^;,\s]+/.exec(statusAnswer.headers['set-cookie'] ?? '')?.[0]
  const found = turn.state.awake === 'asleep' || turn.state.awake === 'waking' ? {} : { foundAsleep: true as const }
  if (!token || !cookie)
    return { awake: 'asleep', memory: {}, ...found, outcome: unknownAnswer('Streamlit', statusAnswer) }
  const answer = await turn.ask(resumePath, { method: 'POST', headers: { 'x-csrf-token': token, cookie } })
  const isWoken = answer.answered && answer.status < 300
  if (isConclusive(answer) && !isWoken) {
    const note = `asleep, and Streamlit did not wake it (answered ${answer.status})`
    return { awake: 'asleep', memory: {}, ...found, outcome: failure(note, answer) }
  }
  const setback = inconclusiveOutcome(answer)
  if ('retryIn' in setback) return stepWithoutAnswer(turn, setback)
  const after = failure('still asleep after 20 minutes', statusAnswer)
  return { ...waitOrEnd(turn, { ...memory, ...(isWoken && { wokenAt: turn.now }) }, after), ...found }
}

/** Holds a session, because Streamlit counts sessions as visitors, but not requests. */
async function holdSession(turn: Turn, statusAnswer: { duration: Milliseconds }): Promise<Step> {
  const holdResult = await turn.hold(sessionPath, { protocol: 'streamlit', time: sessionDuration })
  if (!holdResult.held) {
    const outcome = inconclusiveOutcome({ answered: false, ...holdResult, duration: statusAnswer.duration })
    if ('retryIn' in outcome) return stepWithoutAnswer(turn, outcome)
    const note = `awake, but the visit failed: ${holdResult.note}`
    return { awake: 'awake', memory: {}, outcome: { ...outcome, note } }
  }
  const answer = await turn.ask(healthPath)
  if (!isConclusive(answer)) return stepWithoutAnswer(turn, inconclusiveOutcome(answer))
  if (answer.status === 400) return { awake: 'asleep', memory: {}, outcome: failure('fell asleep meanwhile', answer) }
  if (answer.status !== 200 || bodyText(answer).trim() !== 'ok')
    return { ...nothingKnown, outcome: unknownAnswer('Streamlit', answer) }
  const { wakingSince, wasAsleep } = turn.state.memory
  const after = wakingSince === undefined || !isWaking(turn) ? undefined : formatWait(turn.now - wakingSince)
  const note = after && (wasAsleep ? `was asleep, awake again after ${after}` : `was starting, awake after ${after}`)
  const duration = Math.round(statusAnswer.duration)
  return { awake: 'awake', memory: {}, outcome: { success: true, duration, count: 200, ...(note && { note }) } }
}

const formatWait = (time: Milliseconds): string =>
  time < minutes(2) ? `${Math.round(time / seconds(1))} s` : `${Math.round(time / minutes(1))} min`
