import { pino } from 'pino'
import { createMetrics } from '../../../src/platform/metrics.ts'
import { createOffline } from '../../../src/platform/net/offline.ts'
import type { OutboundAnswer, OutboundFailure } from '../../../src/platform/net/outbound.ts'
import { hours, seconds } from '../../../src/shared/time.ts'

/** Offline detection with two probe hosts, a clock that tests advance, and runs whose outcome tests set. */
export function offlineScene() {
  let at = hours(5)
  let serial = 0
  const up: Record<string, boolean | OutboundFailure> = { 'https://chat.example': false, 'https://code.example': false }
  const probes: string[] = []
  const lines: { msg: string; [field: string]: unknown }[] = []
  const metrics = createMetrics()
  const resumed: string[] = []
  const answerOf = (state: boolean | OutboundFailure | undefined, url: string): OutboundAnswer =>
    state === true
      ? { answered: true, status: 404, headers: {}, body: new Uint8Array(), url, duration: 1 }
      : { answered: false, failure: state || 'connect', note: 'connect: unreachable', duration: 1 }
  const offline = createOffline({
    hosts: Object.keys(up),
    outbound: {
      request: async (url) => {
        probes.push(url)
        return answerOf(up[url], url)
      },
    },
    elapsed: () => at,
    log: pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    metrics,
    resume: (ids) => void resumed.push(...ids),
  })
  const pass = (ms: number) => {
    at += ms
  }
  return {
    offline,
    up,
    probes,
    lines,
    resumed,
    pass,
    metric: async (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await metrics.text())?.[1]),
    /** A run that gets no response; returns how long it is postponed. */
    async silent(ownerId: string, target: string, more: { id?: string; first?: boolean } = {}) {
      const turn = { id: more.id ?? `turn:${serial++}`, ownerId, target, first: more.first ?? false }
      const wait = await offline.postpone(turn)
      if (wait > 0) return wait
      const began = at
      pass(1)
      return offline.postponeSilent({ ...turn, began })
    },
    async fine(ownerId: string, target: string) {
      if ((await offline.postpone({ id: `turn:${serial++}`, ownerId })) > 0) return
      pass(1)
      offline.answered(target)
    },
  }
}
export const notPostponed = 0
export const recheckDelay = seconds(15)
export const isPostponed = (ms: number) => ms === seconds(5) || ms > seconds(15)
