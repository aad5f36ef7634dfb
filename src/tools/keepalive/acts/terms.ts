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

/** The act that would keep an app awake that only requests are sent to; undefined if they do, or one is in force. */
export function actMissing(settings: Omit<Settings, 'interval'>): Exclude<Kept, 'request'> | undefined {
  const wanted = wantedOf(settings.keep === 'request' ? { ...settings, keep: 'auto' } : settings)
  return wanted === 'request' || keptOf(settings) !== 'request' ? undefined : wanted
}

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
/** From the start of a turn to the start of the next, unless an entry says otherwise; a person's looks at the date. */
export const actEvery = { streamlit: hours(6), supabase: hours(4), person: days(1) } as const

/** How often an entry has a turn. */
export function everyOf(settings: Settings, usual: Milliseconds): Milliseconds {
  const kept = keptOf(settings)
  if (kept === 'request') return everyByHost(settings, usual)
  return kept !== 'person' && typeof settings.interval === 'number' ? minutes(settings.interval) : actEvery[kept]
}
