import type { Attempt } from './purge.ts'

/** What this process is purging at this moment, by the image's address: whoever wants the same waits for that one. */
const underWay = new Map<string, Promise<Attempt>>()

/** Does this attempt, unless the same image is being purged already; a purge that somebody else made is fresh. */
export function oneAtATime(camo: string, attempt: () => Promise<Attempt>): Promise<Attempt> {
  const present = underWay.get(camo)
  if (present) return present.then((ended) => (ended.outcome === 'purged' ? { outcome: 'fresh' } : ended))
  const mine = attempt().finally(() => underWay.delete(camo))
  underWay.set(camo, mine)
  return mine
}
