import type { Logger } from 'pino'
import { type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Outbound } from '../outbound.ts'
import { createEvidence } from './evidence.ts'
import { createProber } from './prober.ts'

/** A job that is about to send something. Without an owner it is no turn: it waits, but is neither counted nor evidence. */
type Sending = { id: string; ownerId?: string }
/** A turn that ended without an answer. `target` is a host with its port; `first` means that the entry has no run yet. */
export type SilentTurn = { id: string; ownerId: string; target: string; began: Milliseconds; first: boolean }

export type Offline = {
  isOffline(): boolean
  /** This host (with its port) answered something, which proves that the network is up. */
  answered(host: string): void
  /** How long to postpone this job; 0 if it may be tried. While offline, this also checks whether the network is back. */
  postpone(sending: Sending): Promise<Milliseconds>
  /** How long to postpone a turn without an answer; 0 if that is the target's failure. */
  judge(turn: SilentTurn): Promise<Milliseconds>
}

const lookAgainAfter = seconds(15)
const longestSuspicion = minutes(1)
const probeHolds = seconds(5)
const probeEvery = seconds(5)
const tryEvery = seconds(10)
/** Postponed work is resumed when the network is back. In any case it comes back by itself after this time, with this gap. */
const comeBackAfter = seconds(15)
const comeBackEvery = seconds(1 / 50)

/** Distinguishes our own network being down from targets being down: only if several targets and all of the operator's hosts are silent. */
export function createOffline(options: {
  /** Origins that the operator configured. */
  hosts: readonly string[]
  outbound: Pick<Outbound, 'request'>
  elapsed: () => Milliseconds
  log: Logger
  metrics: Pick<Metrics, 'offline' | 'turnsPostponed'>
  /** Called when the network is back: these jobs need not wait any longer. */
  resume: (jobs: readonly string[]) => void
}): Offline {
  const { elapsed, log, metrics } = options
  const operators = new Set(options.hosts.map((origin) => new URL(origin).host))
  const evidence = createEvidence(elapsed)
  const postponed = new Set<string>()
  let since: Milliseconds | undefined
  let endedAt = Number.NEGATIVE_INFINITY
  let turns = 0
  let triedAt = 0
  let scoutAt = 0
  let bookedUntil = 0

  const isOffline = () => since !== undefined

  const begin = () => {
    since = triedAt = elapsed()
    metrics.offline.set(1)
    log.warn('No outside host can be reached: runs are postponed until one responds.')
  }
  const end = () => {
    if (since === undefined) return
    const lasted = Math.round((elapsed() - since) / 1_000)
    log.info({ seconds: lasted, postponed: turns }, 'The network is back: postponed runs start now.')
    options.resume([...postponed])
    since = undefined
    endedAt = elapsed()
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
    // One comes back early and checks for all of them whether the network is back.
    if (at >= scoutAt) {
      scoutAt = at + probeEvery
      return probeEvery
    }
    bookedUntil = Math.max(bookedUntil, at + comeBackAfter) + comeBackEvery
    return bookedUntil - at
  }

  // Silence while the operator's hosts could be reached is no evidence for a later outage.
  const operatorAnswered = () => {
    evidence.clear()
    end()
  }
  const operatorsAnswer = createProber({ ...options, onAnswer: operatorAnswered })

  return {
    isOffline,

    answered(host) {
      evidence.answered(host)
      if (operators.has(host)) return operatorAnswered()
      if (!isOffline()) return
      end()
      void operatorsAnswer(probeHolds)
    },

    async postpone(sending) {
      if (sending.ownerId !== undefined) evidence.met(sending.ownerId)
      if (!isOffline() || (await operatorsAnswer(probeEvery)) || !isOffline()) return 0
      if (elapsed() - triedAt < tryEvery) return comeBack(sending)
      // Targets may be reachable even if the operator's hosts are not, so now and then a turn is tried.
      triedAt = elapsed()
      return 0
    },

    async judge(turn) {
      const { target, ownerId, began, first } = turn
      // It answered with a redirect to a host that didn't.
      if (evidence.lastAnswer(target) >= began) return 0
      if (isOffline()) return comeBack(turn)
      // It began before the network came back.
      if (began < endedAt) return lookAgainAfter
      evidence.fellSilent(target, ownerId)
      if (!evidence.isEnough() && (first || !evidence.mayBecomeEnough())) return 0
      if (await operatorsAnswer(probeHolds)) return 0
      const silentSince = evidence.silentSince(target)
      if (silentSince === undefined) return 0
      if (!isOffline() && evidence.isEnough()) begin()
      if (isOffline()) return comeBack(turn)
      return first || elapsed() - silentSince >= longestSuspicion ? 0 : lookAgainAfter
    },
  }
}
