import { type Milliseconds, minutes } from '../../../../shared/time.ts'
import { hostOf, type KnownHost } from './known-hosts.ts'

/** Whole minutes; `auto`: what the host of the URL needs; null: the server's usual interval. */
export type Interval = number | 'auto' | null

/** What "auto" means on this host: never more than what is usual on this server. */
export const recommended = (host: KnownHost | undefined, usual: Milliseconds): Milliseconds =>
  Math.min(usual, host?.interval ? minutes(host.interval) : usual)

/** From the start of a ping to the start of the next. */
export function everyOf({ url, interval }: { url: string; interval: Interval }, usual: Milliseconds): Milliseconds {
  if (interval === null) return usual
  return interval === 'auto' ? recommended(hostOf(url), usual) : minutes(interval)
}

/** Whether an app on this host falls asleep between two pings. */
export const sleepsBetween = ({ sleepsAfter }: KnownHost, every: Milliseconds): boolean =>
  sleepsAfter !== null && every >= minutes(sleepsAfter)
