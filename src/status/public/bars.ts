import { percent } from '../../entries/badges/labels.ts'
import type { Days } from './load.ts'

/** A bar and the gap after it. */
const step = 4
const height = 24

/** The class, height and look of a day: nothing ran, nothing failed, less than half of it did, or more. */
const kinds = [
  { name: 'n', tall: 4, is: (share: number | null) => share === null },
  { name: 'u', tall: 17, is: (share: number | null) => share === 1 },
  { name: 'f', tall: 21, is: (share: number | null) => share !== null && share < 1 && share >= 0.5 },
  { name: 'd', tall: 24, is: (share: number | null) => share !== null && share < 0.5 },
] as const

/** How wide each bar and gap is, as a dash of the style sheet. */
export const dashes = `${step - 1} 1`
/** How thick a stroke makes bars of each class. */
export const thickness = kinds.map(({ name, tall }) => `.${name}{stroke-width:${tall}}`).join('')

/** A day a bar, in one dashed line for each kind of day, so that ninety days take a few bytes. */
export function barsOf(days: Days, uptime: number | null): string {
  const paths = kinds.flatMap(({ name, tall, is }) => {
    const d = runsOf(days, is).map(([from, count]) => `M${from * step} ${height - tall / 2}h${count * step}`)
    return d.length > 0 ? [`<path class="${name}" d="${d.join('')}"/>`] : []
  })
  const label = labelOf(days, uptime)
  return `<svg viewBox="0 0 ${days.length * step - 1} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${paths.join('')}</svg>`
}

/** Where days of this kind begin, and how many they are in a row. */
function runsOf(days: Days, is: (share: number | null) => boolean): (readonly [number, number])[] {
  const runs: [number, number][] = []
  days.forEach((share, index) => {
    if (!is(share)) return
    const last = runs.at(-1)
    if (last && last[0] + last[1] === index) last[1] += 1
    else runs.push([index, 1])
  })
  return runs
}

function labelOf(days: Days, uptime: number | null): string {
  if (uptime === null) return `No checks in the last ${days.length} days`
  const failed = days.filter((share) => share !== null && share < 1).length
  const words = failed === 0 ? 'no failures' : `failures on ${failed} ${failed === 1 ? 'day' : 'days'}`
  return `Last ${days.length} days: ${percent(uptime)} uptime, ${words}`
}
