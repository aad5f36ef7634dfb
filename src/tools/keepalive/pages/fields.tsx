import { Info, TriangleAlert } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import type { SettingsOf } from '../../../entries/contract.ts'
import { type Milliseconds, minutes } from '../../../shared/time.ts'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { ChoiceField, NumberField } from '../../../ui/form/field.tsx'
import { type Fields as FormFields, labelledInputs } from '../../../ui/form/fields.ts'
import { Fold } from '../../../ui/form/fold.tsx'
import { UrlField } from '../../../ui/form/url-field.tsx'
import { withScheme } from '../../../ui/form/web-address.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import { lazyPart } from '../../../ui/navigation/lazy.ts'
import { actEvery, effectiveAct, keepLabels, minActInterval, requestedAct } from '../acts/terms.ts'
import type { ActKind, keepalive } from '../contract.ts'
import {
  asOf,
  hostOf,
  type Interval,
  intervalByHost,
  type KnownHost,
  type Note,
  recommendedInterval,
  sleepsBetween,
  withSource,
} from '../hosts/terms.ts'
import { keepaliveNames } from '../terms.ts'
import css from './fields.module.css'
import { advancedLabel, answerLabel, quietLabel, requestLabel } from './requests.ts'

/** Loaded lazily: only few entries need more than requests. */
const KeepFields = lazyPart(async () => (await import('./awake.tsx')).KeepFields)
const IdleTime = lazyPart(async () => (await import('./idle-time.tsx')).IdleTime)
const EntryHours = lazyPart(async () => (await import('./hours.tsx')).EntryHours)

export type Settings = SettingsOf<typeof keepalive>

export const fields: FormFields<Settings> = {
  url: { label: 'URL', blank: '', required: true },
  interval: { label: 'Interval', blank: null, show: intervalLabel },
  quiet: { label: 'Quiet hours', blank: null, show: quietLabel },
  method: { label: 'Request', blank: 'GET', show: (_method, values) => requestLabel(values) },
  headers: { label: 'Request', blank: [], show: (_headers, values) => requestLabel(values) },
  expect: { label: 'Response', blank: null, show: (expect) => answerLabel(expect ?? {}) },
  keep: { label: 'Kept awake by', blank: 'auto', show: (keep) => keepLabels[keep] },
  supabase: { label: 'Supabase', blank: null, show: (supabase) => supabase?.table ?? 'None' },
  due: { label: 'Extend by', blank: null, show: (due) => due ?? 'None' },
}

export const suggestedInterval = (url: string): Interval => (hostOf(withScheme(url)) ? 'auto' : null)

/** A new entry has the interval that its host needs until the user chooses another. A saved entry keeps its own. */
export function Fields({ draft, id }: { draft: Draft<Settings & { status: boolean }>; id?: string | undefined }) {
  const { values, changed, set } = draft
  const field = labelledInputs(draft, fields)
  const now = { ...values, url: withScheme(values.url) }
  const act = effectiveAct(now)
  // Show the space and choices of the act even before its required settings are entered.
  const wanted = requestedAct(now)
  const [chosen, setChosen] = useState(id !== undefined || values.interval !== suggestedInterval(values.url))
  const defaultInterval = useDefaultInterval(keepaliveNames.id)
  const host = hostOf(now.url)
  const hasIdleTime = id !== undefined && !host && act === 'request'
  // Keep the space of the idle time while the user types another URL.
  const [hadIdleTime] = useState(hasIdleTime)
  const typeUrl = (url: string) => {
    set('url', url)
    // After a reset, the interval follows the URL again.
    const isNew = id === undefined && !changed && values.interval === null
    if (isNew) setChosen(false)
    const next = suggestedInterval(url)
    if ((isNew || !chosen) && next !== values.interval) set('interval', next)
  }
  return (
    <>
      <UrlField
        {...field('url')}
        placeholder="https://app.example.com/health"
        hint={urlHint(now.url, act, values.method)}
        onChange={typeUrl}
      />
      {/* Keeps its space so that nothing moves while the user types a new URL. Saved reminders don't need it. */}
      <div className={css.interval} hidden={id !== undefined && wanted === 'person'}>
        {wanted !== 'person' && (
          <IntervalField
            {...field('interval')}
            host={host}
            defaultInterval={defaultInterval}
            own={wanted === 'request' ? undefined : actEvery[wanted]}
            onChange={(interval) => {
              setChosen(true)
              set('interval', interval)
            }}
          />
        )}
      </div>
      {hadIdleTime && (
        <div className={css.idle}>
          {hasIdleTime && (
            <div role="note" aria-label="Idle time">
              <Suspense>
                <IdleTime id={id} onInterval={(interval) => set('interval', interval)} />
              </Suspense>
            </div>
          )}
        </div>
      )}
    </>
  )
}

/** The URL of a project's dashboard, which users may copy instead of the project's own. */
const dashboard = /^https:\/\/supabase\.com\/dashboard\/project\/(\w+)/

function urlHint(url: string, act: ActKind, method: Settings['method']): string {
  const [, ref] = dashboard.exec(url) ?? []
  if (ref) return `This is its dashboard. The project itself is at https://${ref}.supabase.co`
  const host = hostOf(url)
  if (host) return `Hosted by ${host.name}.`
  return act === 'request' ? `We send a ${method} request to this URL.` : 'Where your app is.'
}

export function Host({ draft, id }: { draft: Draft<Settings & { status: boolean }>; id?: string | undefined }) {
  const { values, set } = draft
  const { interval, quiet, status } = values
  const now = { ...values, url: withScheme(values.url) }
  const host = hostOf(now.url)
  return (
    <>
      {host && (
        <HostNote host={host} settings={now}>
          {host.budget && !Number.isNaN(interval) && (
            <Suspense fallback={<HoursPlaceholder />}>
              <EntryHours
                entry={{ url: now.url, interval, quiet, status, ...(id !== undefined && { id }) }}
                onQuiet={(quiet) => set('quiet', quiet)}
              />
            </Suspense>
          )}
        </HostNote>
      )}
      {(host?.keptBy || requestedAct(now) !== 'request') && (
        <Suspense>
          <KeepFields draft={draft} />
        </Suspense>
      )}
    </>
  )
}

/** Those of hosts are whole minutes, a little less than the host's idle limit. */
const presets = { auto: 'auto', default: null, heroku: 28, render: 13 } as const
const presetNames = Object.keys(presets) as (keyof typeof presets)[]
type Preset = keyof typeof presets | 'custom'

const presetOf = (interval: Interval): Preset => presetNames.find((name) => presets[name] === interval) ?? 'custom'

const choicesOf = (
  host: KnownHost | undefined,
  defaultInterval: Milliseconds | undefined,
): { value: Preset; label: string; hint: string | undefined }[] => [
  {
    value: 'auto',
    label: 'Auto',
    hint: host && defaultInterval ? formatInterval(recommendedInterval(host, defaultInterval)) : 'By host',
  },
  { value: 'default', label: 'Default', hint: defaultInterval ? formatInterval(defaultInterval) : undefined },
  { value: 'heroku', label: 'Heroku', hint: `${presets.heroku} minutes` },
  { value: 'render', label: 'Render', hint: `${presets.render} minutes` },
  { value: 'custom', label: 'Custom', hint: 'Up to 7 days' },
]

const choicesOfAct = (own: Milliseconds): ReturnType<typeof choicesOf> => [
  { value: 'auto', label: 'Auto', hint: formatInterval(own) },
  { value: 'custom', label: 'Custom', hint: '30 minutes to 7 days' },
]

function intervalLabel(interval: Interval): string {
  if (interval === null) return 'Default'
  return interval === 'auto' ? 'Auto' : formatInterval(minutes(interval))
}

/** `defaultInterval`: the server's default interval; undefined until it is loaded. `own`: the default of the entry's act. */
function IntervalField(props: {
  host: KnownHost | undefined
  defaultInterval: Milliseconds | undefined
  own: Milliseconds | undefined
  label: string
  value: Interval
  error: string | undefined
  onChange: (interval: Interval) => void
}) {
  const { host, defaultInterval, own, label, value: interval, error, onChange } = props
  const [custom, setCustom] = useState(false)
  const isNumber = typeof interval === 'number'
  const preset = isNumber && (custom || own) ? 'custom' : presetOf(own ? 'auto' : interval)
  const first = own ? own / minutes(1) : presets.heroku
  const choose = (next: Preset) => {
    setCustom(next === 'custom')
    if (next !== 'custom') onChange(presets[next])
    else onChange(isNumber ? interval : first)
  }
  return (
    <ChoiceField
      label={label}
      value={preset}
      onChange={choose}
      choices={own ? choicesOfAct(own) : choicesOf(host, defaultInterval)}
    >
      {preset === 'custom' && isNumber && (
        <NumberField
          label={own ? 'Minutes between turns' : 'Minutes between pings'}
          min={own ? minActInterval / minutes(1) : 1}
          max={10_080}
          required
          value={interval}
          error={error}
          onChange={onChange}
        />
      )}
    </ChoiceField>
  )
}

function HostNote({ host, settings, children }: { host: KnownHost; settings: Settings; children: ReactNode }) {
  const defaultInterval = useDefaultInterval(keepaliveNames.id)
  const pace = defaultInterval && requestedAct(settings) === 'request' ? paceNotes(host, settings, defaultInterval) : []
  return (
    <div className={css.notes} role="note" aria-label="About this host">
      <p>
        <b>Hosted by {host.name}</b> <small>Checked {asOf}</small>
      </p>
      <ul>
        {[...host.notes.map((note) => ({ ...note, text: withSource(host, note) })), ...pace].map(
          ({ text, warning }) => (
            <li key={text} className={warning && css.warning}>
              {warning ? <TriangleAlert size={14} aria-hidden="true" /> : <Info size={14} aria-hidden="true" />}
              <span>
                {warning && <span className="sr">Warning: </span>}
                {text}
              </span>
            </li>
          ),
        )}
      </ul>
      {children}
    </div>
  )
}

/** Reserves the space of the month's hours until their component is loaded, so that nothing moves then. */
const HoursPlaceholder = () => <div className={css.hours}>Counting this month's hours…</div>

function paceNotes(host: KnownHost, { url, interval }: Settings, defaultInterval: Milliseconds): Note[] {
  // An unfinished number is shown as an error.
  if (Number.isNaN(interval)) return []
  const every = intervalByHost({ url, interval }, defaultInterval)
  const auto = recommendedInterval(host, defaultInterval)
  const pings = `We'll ping every ${formatInterval(every)}`
  if (!sleepsBetween(host, every)) return interval === 'auto' && host.interval ? [{ text: `${pings}.` }] : []
  const instead = sleepsBetween(host, auto) || interval === 'auto' ? '' : ` Auto pings every ${formatInterval(auto)}.`
  const sleep = formatInterval(minutes(host.sleepsAfter ?? 0))
  return [{ text: `${pings}, but the app sleeps after ${sleep}.${instead}`, warning: true }]
}

const AdvancedFields = lazyPart(async () => (await import('./advanced-fields.tsx')).AdvancedFields)

export function Advanced({ draft }: { draft: Draft<Settings> }) {
  const { values, errors } = draft
  const act = effectiveAct({ ...values, url: withScheme(values.url) })
  if (act === 'person') return null
  const isAct = act !== 'request'
  return (
    <Fold
      title={isAct ? 'Quiet hours' : 'Request and quiet hours'}
      summary={isAct ? quietLabel(values.quiet) : advancedLabel(values)}
      isWrong={Boolean(errors.quiet ?? errors.method ?? errors.headers ?? errors.expect)}
    >
      <Suspense>
        <AdvancedFields draft={draft} isAct={isAct} />
      </Suspense>
    </Fold>
  )
}
