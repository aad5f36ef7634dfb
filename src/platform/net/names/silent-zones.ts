import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Milliseconds, minutes, seconds } from '../../../shared/time.ts'

/** How long a zone is remembered as silent. */
const remembered = minutes(5)
/** How long a name waits for the probes of its silent zone. */
const longestWait = seconds(5)
const mostZones = 10_000

type Zone = { until: Milliseconds; probe: Promise<void> | undefined }

/**
 * Remembers, for each owner, the zones whose name servers don't answer. Of such a zone's names one is asked at a time; any
 * answer ends the silence. It is remembered for each owner, so that nobody can silence a zone for others.
 */
export function silentZones(elapsed: () => Milliseconds) {
  // With `max`, there would be room for all of them from the start.
  const silent = new LRUCache<string, Zone>({ maxSize: mostZones, sizeCalculation: () => 1 })
  const fellSilent = (key: string) => {
    const zone = silent.get(key) ?? { until: 0, probe: undefined }
    zone.until = elapsed() + remembered
    silent.set(key, zone)
  }

  return (owner: string, host: string) => {
    const key = `${zoneOf(host)} ${owner}`
    const known = () => {
      const zone = silent.get(key)
      return zone && elapsed() < zone.until ? zone : undefined
    }
    return {
      isSilent: () => known() !== undefined,
      /** Waits for the probes before; answers how to end one's own, or undefined if the zone isn't silent. Throws if the wait is too long. */
      async probe(): Promise<(() => void) | undefined> {
        const until = elapsed() + longestWait
        for (let zone = known(); zone; zone = known()) {
          if (!zone.probe) {
            const { promise, resolve } = Promise.withResolvers<void>()
            const probed = zone
            probed.probe = promise
            return () => {
              probed.probe = undefined
              resolve()
            }
          }
          const left = until - elapsed()
          if (left <= 0) throw noAnswer()
          await Promise.race([zone.probe, wait(left, undefined, { ref: false })])
        }
        return undefined
      },
      /** Notes whether this question under it is answered, and passes the outcome on. */
      async heard<T>(question: Promise<T>): Promise<T> {
        try {
          const answer = await question
          silent.delete(key)
          return answer
        } catch (error) {
          if (isSilence(error)) fellSilent(key)
          else silent.delete(key)
          throw error
        }
      },
    }
  }
}

/** As the resolver reports it. */
const noAnswer = () => Object.assign(new Error('No name server answered.'), { code: 'ETIMEOUT' })
const isSilence = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ETIMEOUT'

/** Roughly what somebody registered: `example.com` or `example.co.uk`. */
export function zoneOf(host: string): string {
  const labels = host.replace(/\.$/, '').toLowerCase().split('.')
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.')
}
