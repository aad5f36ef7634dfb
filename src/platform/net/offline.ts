import type { Logger } from 'pino'
import { hours, type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import type { Metrics } from '../metrics.ts'
import type { Outbound } from './outbound.ts'

const timeout = seconds(3)

/** Probes whether the operator's hosts can be reached: one host in turn, and all others only if that one is silent. */
function createProber(options: {
  /** Their origins. */
  hosts: readonly string[]
  outbound: Pick<Outbound, 'request'>
  elapsed: () => Milliseconds
  onAnswer: () => void
}) {
  const { hosts, outbound, elapsed } = options
  let next = 0
  let last = { at: Number.NEGATIVE_INFINITY, outcome: Promise.resolve(false) }

  const isReachable = async (origin: string) => {
    const answer = await outbound.request(origin, { method: 'HEAD', timeout })
    return answer.answered || answer.failure === 'tls' || answer.failure === 'http'
  }
  const ask = async () => {
    const [first, ...others] = [...hosts.slice(next), ...hosts.slice(0, next)]
    next = (next + 1) % hosts.length
    if (first !== undefined && (await isReachable(first))) return true
    return (await Promise.all(others.map(isReachable))).includes(true)
  }

  /** Whether any host can be reached; shares a running probe and reuses an outcome within this time. */
  return (maxAge: Milliseconds): Promise<boolean> => {
    if (elapsed() - last.at < maxAge) return last.outcome
    const probe = {
      at: Number.POSITIVE_INFINITY,
      outcome: ask().then((found) => {
        probe.at = elapsed()
        if (found) options.onAnswer()
        return found
      }),
    }
    last = probe
    return probe.outcome
  }
}

/** When this many targets that answered within the last hour fall silent together, the network is suspected. */
const several = 3
const remembered = hours(1)
const silenceCounts = minutes(3)
const mostRemembered = 10_000

/** No answer since `since`; `answersBefore` is how many answers had been counted by then. */
type Silence = { since: Milliseconds; last: Milliseconds; answersBefore: number; owners: Set<string> }

/** Records which targets (host and port) answered recently or fell silent. Bounded: the oldest is dropped first. */
function createEvidence(elapsed: () => Milliseconds) {
  const owners = new Map<string, Milliseconds>()
  const answers = new Map<string, Milliseconds>()
  const silent = new Map<string, Silence>()
  let answerCount = 0

  /** A target that stayed silent while others answered is no evidence. */
  const isEvidence = ({ last, answersBefore }: Silence) =>
    answersBefore === answerCount && elapsed() - last <= silenceCounts
  const lastAnswer = (target: string) => answers.get(target) ?? Number.NEGATIVE_INFINITY
  const countRecent = (seen: Map<string, Milliseconds>) => {
    for (const [key, at] of seen) {
      if (elapsed() - at <= remembered) break
      seen.delete(key)
    }
    return seen.size
  }

  return {
    lastAnswer,
    /** Records that this owner has active entries. */
    recordOwner: (ownerId: string) => put(owners, ownerId, elapsed()),
    answered(target: string) {
      put(answers, target, elapsed())
      silent.delete(target)
      answerCount += 1
    },
    fellSilent(target: string, ownerId: string) {
      const at = elapsed()
      const silence = silent.get(target) ?? { since: at, last: at, answersBefore: answerCount, owners: new Set() }
      silence.last = at
      silence.owners.add(ownerId)
      put(silent, target, silence)
    },
    /** When this target fell silent; undefined if others have answered since. */
    silentSince(target: string): Milliseconds | undefined {
      const silence = silent.get(target)
      return silence && isEvidence(silence) ? silence.since : undefined
    },
    clear: () => silent.clear(),
    /** Whether targets of two owners, or several that answered recently, have fallen silent since the last answer. */
    isEnough(): boolean {
      const silentOwners = new Set<string>()
      let answeredLately = 0
      for (const [target, silence] of silent) {
        if (!isEvidence(silence)) continue
        for (const owner of silence.owners) silentOwners.add(owner)
        if (elapsed() - lastAnswer(target) <= remembered) answeredLately += 1
        if (silentOwners.size > 1 || answeredLately >= several) return true
      }
      return false
    },
    /** Whether enough owners or targets are known for the evidence to ever suffice. */
    mayBecomeEnough: () => countRecent(owners) > 1 || countRecent(answers) >= several,
  }
}

function put<T>(map: Map<string, T>, key: string, value: T) {
  map.delete(key)
  map.set(key, value)
  if (map.size <= mostRemembered) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

/** A job about to send a request. Only runs have an `ownerId`: other jobs wait too, but aren't counted or evidence. */
type PendingRequest = { id: string; ownerId?: string }
/** A run that got no response. `target` is a host with its port; `first` means that the entry has no earlier run. */
export type SilentTurn = { id: string; ownerId: string; target: string; began: Milliseconds; first: boolean }

export type Offline = ReturnType<typeof createOffline>

const recheckAfter = seconds(15)
const longestSuspicion = minutes(1)
const probeValidFor = seconds(5)
const probeEvery = seconds(5)
const tryEvery = seconds(10)
/** Postponed jobs resume when the network is back. Otherwise, they retry after this time, one every `retrySpacing`. */
const comeBackAfter = seconds(15)
const retrySpacing = seconds(1 / 50)

/** Detects that our own network is down: several targets and all of the operator's hosts are silent. */
export function createOffline(options: {
  hosts: readonly string[]
  outbound: Pick<Outbound, 'request'>
  elapsed: () => Milliseconds
  log: Logger
  metrics: Pick<Metrics, 'offline' | 'turnsPostponed'>
  resume: (jobs: readonly string[]) => void
}) {
  const { elapsed, log, metrics } = options
  const operators = new Set(options.hosts.map((origin) => new URL(origin).host))
  const evidence = createEvidence(elapsed)
  const postponed = new Set<string>()
  let since: Milliseconds | undefined
  let endedAt = Number.NEGATIVE_INFINITY
  let postponedTurns = 0
  let triedAt = 0
  let nextScoutAt = 0
  let lastRetryAt = 0

  const isOffline = () => since !== undefined

  const begin = () => {
    since = triedAt = elapsed()
    metrics.offline.set(1)
    log.warn('No outside host can be reached; postponing runs until one responds')
  }
  const end = () => {
    if (since === undefined) return
    const lasted = Math.round((elapsed() - since) / 1_000)
    log.info({ seconds: lasted, postponed: postponedTurns }, 'The network is back; starting postponed runs')
    options.resume([...postponed])
    since = undefined
    endedAt = elapsed()
    postponedTurns = nextScoutAt = lastRetryAt = 0
    postponed.clear()
    metrics.offline.set(0)
  }
  const scheduleRetry = ({ id, ownerId }: PendingRequest): Milliseconds => {
    if (ownerId !== undefined && !postponed.has(id)) {
      postponedTurns += 1
      metrics.turnsPostponed.inc()
    }
    postponed.add(id)
    const at = elapsed()
    // One job retries early, to check on behalf of all whether the network is back.
    if (at >= nextScoutAt) {
      nextScoutAt = at + probeEvery
      return probeEvery
    }
    lastRetryAt = Math.max(lastRetryAt, at + comeBackAfter) + retrySpacing
    return lastRetryAt - at
  }

  // Silence while the operator's hosts could be reached is no evidence for a later outage.
  const operatorAnswered = () => {
    evidence.clear()
    end()
  }
  const canReachOperators = createProber({ ...options, onAnswer: operatorAnswered })

  return {
    isOffline,

    /** Records a response from this host (with its port), which proves that the network is up. */
    answered(host: string) {
      evidence.answered(host)
      if (operators.has(host)) return operatorAnswered()
      if (!isOffline()) return
      end()
      void canReachOperators(probeValidFor)
    },

    /** How long to postpone this job; 0 if it may be tried. While offline, also checks if the network is back. */
    async postpone(pending: PendingRequest): Promise<Milliseconds> {
      if (pending.ownerId !== undefined) evidence.recordOwner(pending.ownerId)
      if (!isOffline() || (await canReachOperators(probeEvery)) || !isOffline()) return 0
      if (elapsed() - triedAt < tryEvery) return scheduleRetry(pending)
      // Targets may be reachable even if the operator's hosts are not, so occasionally try one job.
      triedAt = elapsed()
      return 0
    },

    /** How long to postpone a run that got no response; 0 if the failure is the target's. */
    async postponeSilent(turn: SilentTurn): Promise<Milliseconds> {
      const { target, ownerId, began, first } = turn
      // The target answered with a redirect to a host that didn't answer.
      if (evidence.lastAnswer(target) >= began) return 0
      if (isOffline()) return scheduleRetry(turn)
      // The run began before the network came back.
      if (began < endedAt) return recheckAfter
      evidence.fellSilent(target, ownerId)
      if (!evidence.isEnough() && (first || !evidence.mayBecomeEnough())) return 0
      if (await canReachOperators(probeValidFor)) return 0
      const silentSince = evidence.silentSince(target)
      if (silentSince === undefined) return 0
      if (!isOffline() && evidence.isEnough()) begin()
      if (isOffline()) return scheduleRetry(turn)
      return first || elapsed() - silentSince >= longestSuspicion ? 0 : recheckAfter
    },
  }
}
