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

/** The act that an entry requests. "auto" depends on the host of its URL alone. */
export const wantedOf = ({ keep, url }: Pick<Settings, 'keep' | 'url'>): Kept =>
  keep === 'auto' ? (hostOf(url)?.keptBy ?? 'request') : keep

/** The act that an app on plain requests needs to stay awake; undefined if requests suffice or an act is in force. */
export function actMissing(settings: Omit<Settings, 'interval'>): Exclude<Kept, 'request'> | undefined {
  const wanted = wantedOf(settings.keep === 'request' ? { ...settings, keep: 'auto' } : settings)
  return wanted === 'request' || keptOf(settings) !== 'request' ? undefined : wanted
}

/** The act in force: without the settings that its act needs, an entry stays a plain request. */
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

/** The minimum interval of acts: a shorter one would not keep an app awake any better. */
export const shortestOfActs: Milliseconds = minutes(30)
/** The default time from the start of a turn to the next. The turns of `person` only check the date. */
export const actEvery = { streamlit: hours(6), supabase: hours(4), person: days(1) } as const

export function everyOf(settings: Settings, usual: Milliseconds): Milliseconds {
  const kept = keptOf(settings)
  if (kept === 'request') return everyByHost(settings, usual)
  return kept !== 'person' && typeof settings.interval === 'number' ? minutes(settings.interval) : actEvery[kept]
}
