import { days, type Instant } from '../../shared/time.ts'
import type { Keep } from '../config.ts'

const iso = (at: Instant) => new Date(at).toISOString()
/** Days since a Monday, so that weeks begin on Mondays. */
const monday = Date.UTC(1970, 0, 5)

/** The hour, day, week or month (UTC) that an instant falls in. */
const spans: Record<keyof Keep, (at: Instant) => string> = {
  h: (at) => iso(at).slice(0, 13),
  d: (at) => iso(at).slice(0, 10),
  w: (at) => String(Math.floor((at - monday) / days(7))),
  m: (at) => iso(at).slice(0, 7),
}

/** Those that newer ones make up for. The newest always stays, and so does the newest of each of the last spans that have one, however long ago. */
export function outdated<Item extends { time: Instant }>(backups: readonly Item[], keep: Keep): Item[] {
  const newestFirst = backups.toSorted((a, b) => b.time - a.time)
  const kept = new Set(newestFirst.slice(0, 1))
  for (const [unit, spanOf] of Object.entries(spans)) {
    const seen = new Set<string>()
    for (const backup of newestFirst) {
      const span = spanOf(backup.time)
      if (seen.has(span)) continue
      if (seen.size === keep[unit as keyof Keep]) break
      seen.add(span)
      kept.add(backup)
    }
  }
  return newestFirst.filter((backup) => !kept.has(backup))
}
