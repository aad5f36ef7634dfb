import type { State } from '../contract.ts'

export const modeWords = { always: 'Every image', stale: 'Only what is stale' } as const

/** How a copy compares, in a few words. */
export const stateWords: Record<State, string> = {
  current: 'current',
  stale: 'stale',
  purged: 'purged',
  'still stale': 'still stale',
  changing: 'always fresh',
  failed: 'failed',
}

/** `850 B`, `1.4 kB`, `2.0 MB`. */
export function formatBytes(count: number): string {
  if (count < 1_000) return `${count} B`
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`
}
