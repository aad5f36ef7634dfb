import { days, hours, type Milliseconds, minutes } from '../../../shared/time.ts'
import type { Kept, Supabase } from '../contract.ts'
import { everyOf as everyByHost, hostOf, type Interval } from '../hosts/terms.ts'

type Settings = {
  url: string
  interval: Interval
  keep: Kept | 'auto'
  supabase: Supabase | null
  due: string | null
}

/** What an entry asks for: "auto" goes by the host of its URL alone. */
export const wantedOf = ({ keep, url }: Pick<Settings, 'keep' | 'url'>): Kept =>
  keep === 'auto' ? (hostOf(url)?.keptBy ?? 'request') : keep

/** What is in force: without what its act needs, an entry stays a request. */
export function keptOf(settings: Omit<Settings, 'interval'>): Kept {
  const wanted = wantedOf(settings)
  if (wanted === 'supabase' && !settings.supabase?.key) return 'request'
  return wanted === 'person' && settings.due === null ? 'request' : wanted
}

export const keepLabels: Readonly<Record<Kept | 'auto', string>> = {
  auto: 'Auto',
  request: 'Requests',
  streamlit: 'Visits',
  supabase: 'Queries',
  person: 'Reminder',
}

/** Less would not keep an app awake any better. */
export const shortestOfActs: Milliseconds = minutes(30)
/** From the start of a turn to the start of the next, unless an entry says otherwise. */
const own = { streamlit: hours(6), supabase: hours(4) } as const

/** How often an entry has a turn. */
export function everyOf(settings: Settings, usual: Milliseconds): Milliseconds {
  const kept = keptOf(settings)
  if (kept === 'request') return everyByHost(settings, usual)
  // It looks at the date.
  if (kept === 'person') return days(1)
  return typeof settings.interval === 'number' ? minutes(settings.interval) : own[kept]
}
