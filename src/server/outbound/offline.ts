import type { Logger } from 'pino'
import { hours, type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import type { Metrics } from '../metrics.ts'
import type { Outbound } from './outbound.ts'

/** The job of what is to be sent. One without an owner is no turn: it waits, but is neither counted nor evidence. */
export type Sending = { id: string; ownerId?: string }
/** A turn that ended without an answer. `target` is a host with its port, `first` says that the entry has no run yet. */
export type SilentTurn = { id: string; ownerId: string; target: string; began: Milliseconds; first: boolean }

export type Offline = {
  isOffline(): boolean
  /** Any answer of this host (with its port), whatever it says, proves that the network is there. */
  answered(host: string): void
  /** How long to postpone what is to be sent; 0 when it may be tried. While offline, this is what asks whether the network is back. */
  postpone(sending: Sending): Promise<Milliseconds>
  /** How long to postpone a turn without an answer; 0 when that is the target's failure. */
  judge(turn: SilentTurn): Promise<Milliseconds>
}

/** Targets that answered within the last hour and now fall silent together speak against the network. */
const several = 3
const remembered = hours(1)
const silenceCounts: Milliseconds = minutes(3)
const mostRemembered = 10_000
const lookAgainAfter = seconds(15)
const longestSuspicion = minutes(1)
const probeTimeout = seconds(3)
const probeHolds = seconds(5)
const probeEvery = seconds(5)
const tryEvery = seconds(10)
/** Postponed work is resumed when the network is back, and comes back by itself after this time, so far apart. */
const comeBackAfter = seconds(15)
const comeBackEvery = seconds(1 / 50)

/** No answer since `since`, when so many answers of others had been counted. */
type Silence = { since: Milliseconds; last: Milliseconds; answersBefore: number; owners: Set<string> }

/** Tells a network of our own that is down from targets that are: only when several fall silent, and all operator's hosts too. */
export function createOffline(the: {
  /** Origins that the operator configured. */
  hosts: readonly string[]
  outbound: Pick<Outbound, 'request'>
  elapsed: () => Milliseconds
  log: Logger
  metrics: Pick<Metrics, 'offline' | 'turnsPostponed'>
  /** The network is back: these jobs need wait no longer. */
  resume: (jobs: readonly string[]) => void
}): Offline {
  const { elapsed, log, metrics } = the
  const operators = new Set(the.hosts.map((origin) => new URL(origin).host))
  const owners = new Map<string, Milliseconds>()
  const answers = new Map<string, Milliseconds>()
  const silent = new Map<string, Silence>()
  const postponed = new Set<string>()
  let answerCount = 0
  let since: Milliseconds | undefined
  let turns = 0
  let triedAt = 0
  let scoutAt = 0
  let bookedUntil = 0

  const isOffline = () => since !== undefined

  const begin = () => {
    since = triedAt = elapsed()
    metrics.offline.set(1)
    log.warn('Nothing outside can be reached: turns are postponed until something answers.')
  }
  const end = () => {
    if (since === undefined) return
    const lasted = Math.round((elapsed() - since) / 1_000)
    log.info({ seconds: lasted, postponed: turns }, 'The network is back: postponed turns run now.')
    the.resume([...postponed])
    since = undefined
    turns = scoutAt = bookedUntil = 0
    postponed.clear()
    metrics.offline.set(0)
  }
  const comeBack = ({ id, ownerId }: Sending): Milliseconds => {
    if (ownerId !== undefined && !postponed.has(id)) {
      turns += 1
      metrics.turnsPostponed.inc()
    }
    postponed.add(id)
    const at = elapsed()
    // One comes back early, and asks for all whether the network is back.
    if (at >= scoutAt) {
      scoutAt = at + probeEvery
      return probeEvery
    }
    bookedUntil = Math.max(bookedUntil, at + comeBackAfter) + comeBackEvery
    return bookedUntil - at
  }

  // What fell silent while operators' hosts could be reached is judged afresh once they cannot.
  const operatorAnswered = () => {
    silent.clear()
    end()
  }
  const operatorsAnswer = prober(the, operatorAnswered)

  const fellSilent = ({ target, ownerId }: SilentTurn) => {
    const at = elapsed()
    const silence = silent.get(target) ?? { since: at, last: at, answersBefore: answerCount, owners: new Set() }
    silence.last = at
    silence.owners.add(ownerId)
    put(silent, target, silence)
  }
  /** Whoever was silent already while others answered is no evidence. */
  const isEvidence = ({ last, answersBefore }: Silence) =>
    answersBefore === answerCount && elapsed() - last <= silenceCounts

  const isEnough = () => {
    const silentOwners = new Set<string>()
    let answeredLately = 0
    for (const [target, silence] of silent) {
      if (!isEvidence(silence)) continue
      for (const owner of silence.owners) silentOwners.add(owner)
      if (elapsed() - (answers.get(target) ?? Number.NEGATIVE_INFINITY) <= remembered) answeredLately += 1
      if (silentOwners.size > 1 || answeredLately >= several) return true
    }
    return false
  }
  const lately = (seen: Map<string, Milliseconds>) => {
    for (const [key, at] of seen) {
      if (elapsed() - at <= remembered) break
      seen.delete(key)
    }
    return seen.size
  }
  const mayBecomeEnough = () => lately(owners) > 1 || lately(answers) >= several

  return {
    isOffline,

    answered(host) {
      put(answers, host, elapsed())
      if (operators.has(host)) return operatorAnswered()
      silent.delete(host)
      answerCount += 1
      if (!isOffline()) return
      end()
      void operatorsAnswer(probeHolds)
    },

    async postpone(sending) {
      if (sending.ownerId !== undefined) put(owners, sending.ownerId, elapsed())
      if (!isOffline() || (await operatorsAnswer(probeEvery)) || !isOffline()) return 0
      if (elapsed() - triedAt < tryEvery) return comeBack(sending)
      // Operators' hosts may be out of reach where targets are not, so now and then a turn is tried.
      triedAt = elapsed()
      return 0
    },

    async judge(turn) {
      const { target, began, first } = turn
      // It answered, and led to another that did not.
      if ((answers.get(target) ?? Number.NEGATIVE_INFINITY) >= began) return 0
      fellSilent(turn)
      if (isOffline()) return comeBack(turn)
      if (!isEnough() && (first || !mayBecomeEnough())) return 0
      if (await operatorsAnswer(probeHolds)) return 0
      const silence = silent.get(target)
      if (!silence || !isEvidence(silence)) return 0
      if (!isOffline() && isEnough()) begin()
      if (isOffline()) return comeBack(turn)
      return first || elapsed() - silence.since >= longestSuspicion ? 0 : lookAgainAfter
    },
  }
}

/** Keeps the newest last, and not too many. */
function put<T>(map: Map<string, T>, key: string, value: T) {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > mostRemembered && oldest !== undefined) map.delete(oldest)
}

/** Asks the operator's hosts, one probe at a time and each in turn; the others only when the first is silent. */
function prober(
  {
    hosts,
    outbound,
    elapsed,
  }: { hosts: readonly string[]; outbound: Pick<Outbound, 'request'>; elapsed: () => number },
  onAnswer: () => void,
) {
  let next = 0
  let last = { at: Number.NEGATIVE_INFINITY, outcome: Promise.resolve(false) }

  const isThere = async (origin: string) => {
    const answer = await outbound.request(origin, { method: 'HEAD', timeout: probeTimeout })
    return answer.answered || answer.failure === 'tls' || answer.failure === 'http'
  }
  const ask = async () => {
    const [first, ...others] = [...hosts.slice(next), ...hosts.slice(0, next)]
    next = (next + 1) % hosts.length
    if (first !== undefined && (await isThere(first))) return true
    return (await Promise.all(others.map(isThere))).includes(true)
  }
  /** Whether any can be reached, as far as that was found out within this time. */
  return (holds: Milliseconds): Promise<boolean> => {
    if (elapsed() - last.at < holds) return last.outcome
    const probe = {
      at: Number.POSITIVE_INFINITY,
      outcome: ask().then((found) => {
        probe.at = elapsed()
        if (found) onAnswer()
        return found
      }),
    }
    last = probe
    return probe.outcome
  }
}
