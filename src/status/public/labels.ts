import type { PublicState } from '../../entries/badges/public-state.ts'
import { once } from '../../shared/once.ts'
import type { Instant } from '../../shared/time.ts'
import type { PublicPage } from './load.ts'

export const stateLabels: Record<PublicState, string> = {
  up: 'Working',
  failing: 'Failing',
  down: 'Down',
  paused: 'Paused',
  new: 'Not checked yet',
}

/** How all of it is doing: the worst that any entry is. */
export function verdictOf({ states, count }: Pick<PublicPage, 'states' | 'count'>): {
  state: PublicState
  words: string
} {
  const { down = 0, failing = 0, up = 0, paused = 0 } = states
  const some = (many: number, word: string) =>
    count === 1 ? `It is ${word}` : `${many} of ${count} ${many === 1 ? 'is' : 'are'} ${word}`
  if (down > 0) return { state: 'down', words: some(down, 'down') }
  if (failing > 0) return { state: 'failing', words: some(failing, 'failing') }
  if (up > 0) return { state: 'up', words: 'Everything is working' }
  if (paused > 0 && paused === count) return { state: 'paused', words: 'Everything is paused' }
  return { state: 'new', words: 'Nothing has been checked yet' }
}

const inBritain = (look: Intl.DateTimeFormatOptions) =>
  once(() => new Intl.DateTimeFormat('en-GB', { ...look, timeZone: 'UTC' }))
const day = inBritain({ day: 'numeric', month: 'long', year: 'numeric' })
const clock = inBritain({ hour: '2-digit', minute: '2-digit' })

export const formatDay = (at: Instant): string => day().format(at)
export const formatClock = (at: Instant): string => clock().format(at)

/** `5 minutes`, `2 h 5 min`, `3 d 4 h`. */
export function lasted(from: Instant, until: Instant): string {
  const total = Math.max(1, Math.round((until - from) / 60_000))
  const [days, hours, minutes] = [Math.floor(total / 1_440), Math.floor(total / 60) % 24, total % 60]
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  return `${minutes} min`
}
