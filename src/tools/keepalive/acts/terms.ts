import type { SettingsOf } from '../../../entries/contract.ts'
import { days, hours, type Milliseconds, minutes } from '../../../shared/time.ts'
import type { ActKind, keepalive } from '../contract.ts'
import { hostOf, intervalByHost } from '../hosts/terms.ts'

type Settings = Pick<SettingsOf<typeof keepalive>, 'url' | 'interval' | 'keep' | 'supabase' | 'due'>

/** The act that an entry requests. "auto" depends on the host of its URL alone. */
export const requestedAct = ({ keep, url }: Pick<Settings, 'keep' | 'url'>): ActKind =>
  keep === 'auto' ? (hostOf(url)?.keptBy ?? 'request') : keep

/** The act that an app on plain requests needs to stay awake; undefined if requests suffice or an act is in force. */
export function missingAct(settings: Omit<Settings, 'interval'>): Exclude<ActKind, 'request'> | undefined {
  const wanted = requestedAct(settings.keep === 'request' ? { ...settings, keep: 'auto' } : settings)
  return wanted === 'request' || effectiveAct(settings) !== 'request' ? undefined : wanted
}

/** The act in force: without the settings that its act needs, an entry stays a plain request. */
export function effectiveAct(settings: Omit<Settings, 'interval'>): ActKind {
  const wanted = requestedAct(settings)
  if (wanted === 'supabase' && !settings.supabase?.key) return 'request'
  return wanted === 'person' && settings.due === null ? 'request' : wanted
}

export const keepLabels: Readonly<Record<ActKind | 'auto', string>> = {
  auto: 'Auto',
  request: 'Requests',
  streamlit: 'Visits',
  supabase: 'Queries',
  person: 'Reminder',
}

/** The minimum interval of acts: a shorter one would not keep an app awake any better. */
export const minActInterval: Milliseconds = minutes(30)
/** The default time from the start of a turn to the next. The turns of `person` only check the date. */
export const actEvery = { streamlit: hours(6), supabase: hours(4), person: days(1) } as const

export function effectiveInterval(settings: Settings, defaultInterval: Milliseconds): Milliseconds {
  const act = effectiveAct(settings)
  if (act === 'request') return intervalByHost(settings, defaultInterval)
  return act !== 'person' && typeof settings.interval === 'number' ? minutes(settings.interval) : actEvery[act]
}
