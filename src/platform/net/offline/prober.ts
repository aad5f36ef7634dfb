import { type Milliseconds, seconds } from '../../../shared/time.ts'
import type { Outbound } from '../outbound.ts'

const timeout = seconds(3)

/** Checks whether the operator's hosts can be reached: one probe at a time, hosts in turn, the others only if the first is silent. */
export function createProber(options: {
  /** Their origins. */
  hosts: readonly string[]
  outbound: Pick<Outbound, 'request'>
  elapsed: () => Milliseconds
  onAnswer: () => void
}) {
  const { hosts, outbound, elapsed } = options
  let next = 0
  let last = { at: Number.NEGATIVE_INFINITY, outcome: Promise.resolve(false) }

  const isThere = async (origin: string) => {
    const answer = await outbound.request(origin, { method: 'HEAD', timeout })
    return answer.answered || answer.failure === 'tls' || answer.failure === 'http'
  }
  const ask = async () => {
    const [first, ...others] = [...hosts.slice(next), ...hosts.slice(0, next)]
    next = (next + 1) % hosts.length
    if (first !== undefined && (await isThere(first))) return true
    return (await Promise.all(others.map(isThere))).includes(true)
  }

  /** Whether any of them can be reached; an outcome of within this time is reused. */
  return (holds: Milliseconds): Promise<boolean> => {
    if (elapsed() - last.at < holds) return last.outcome
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
