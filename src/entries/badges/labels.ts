import type { NamedColor } from '../../shared/badge-look.ts'
import { formatPercent } from '../../shared/count.ts'
import { awakeLabels } from '../../shared/status-glyphs.ts'
import type { BadgePeriod, BadgeType } from './contract.ts'
import type { BadgeFigures } from './figures.ts'
import type { PublicState } from './public-state.ts'

/** What a badge says if its URL asks for nothing else. */
type BadgeLabels = { label: string; message: string; color: NamedColor }

/** What a badge says of these figures; undefined ones are not known at the moment. */
export const labelsOf = (
  { type, period }: { type: BadgeType; period: BadgePeriod },
  figures: BadgeFigures | undefined,
): BadgeLabels => ({ label: labelOf(type, period), ...(figures ? says[type](figures, period) : unknown) })

const labelOf = (type: BadgeType, period: BadgePeriod): string =>
  ({ status: 'status', uptime: `uptime ${period}`, latency: `response time ${period}` })[type]

type Said = Omit<BadgeLabels, 'label'>
const unknown: Said = { message: 'unknown', color: 'lightgrey' }
/** Too little is known of the period. */
const noData: Said = { message: '–', color: 'lightgrey' }

const says: Record<BadgeType, (figures: BadgeFigures, period: BadgePeriod) => Said> = {
  status: ({ state, awake }) => {
    const { message, color } = ofState[state]
    return { message: awake ? `${message}, ${awakeLabels[awake]}` : message, color }
  },
  uptime: ({ uptime }, period) => ofUptime(uptime[period]),
  latency: ({ latency }, period) => ofLatency(latency[period]),
}

const ofState: Record<PublicState, Said> = {
  up: { message: 'up', color: 'brightgreen' },
  failing: { message: 'failing', color: 'orange' },
  down: { message: 'down', color: 'red' },
  paused: { message: 'paused', color: 'lightgrey' },
  new: { message: 'pending', color: 'lightgrey' },
}

function ofUptime(share: number | null): Said {
  if (share === null) return noData
  return { message: formatPercent(share), color: colorFor(share, [0.995, 0.98, 0.95, 0.9]) }
}

function ofLatency(ms: number | null): Said {
  if (ms === null) return noData
  const message = ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1_000)} s`
  return { message, color: colorFor(-ms, [-500, -1_000, -2_000, -5_000]) }
}

/** The color of a value by what it must reach for each, the best first. */
function colorFor(value: number, bounds: readonly number[]): NamedColor {
  const index = bounds.findIndex((bound) => value >= bound)
  return (['brightgreen', 'green', 'yellow', 'orange'] as const)[index] ?? 'red'
}
