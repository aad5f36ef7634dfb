import { Suspense } from 'react'
import type { ListItemOf } from '../../../entries/contract.ts'
import { AboutCard, NextSteps } from '../../../entries/pages/aside.tsx'
import { entryColumns, urlColumn } from '../../../entries/pages/columns.tsx'
import { Row as DetailRow } from '../../../entries/pages/details.tsx'
import type { Detail, Item, ScreensOf } from '../../../entries/pages/tool-pages.ts'
import { minutes } from '../../../shared/time.ts'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { withScheme } from '../../../ui/form/web-address.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import { lazyPart } from '../../../ui/navigation/lazy.ts'
import { effectiveAct, effectiveInterval, missingAct, requestedAct } from '../acts/terms.ts'
import type { keepalive } from '../contract.ts'
import { hostOf, sleepsBetween } from '../hosts/terms.ts'
import { keepaliveNames, soonDays } from '../terms.ts'
import { formatExpiry } from './certificate.ts'
import { Advanced, Fields, fields, Host, type Settings, suggestedInterval } from './fields.tsx'
import { advancedLabel, dayLabel, quietLabel, successLabel } from './requests.ts'
import css from './screens.module.css'

const pings = Array.from({ length: 11 }, (_, index) => 40 + index * 72)

function About() {
  const defaultInterval = useDefaultInterval(keepaliveNames.id)
  return (
    <AboutCard>
      <Picture />
      <h2>Always awake for your visitors</h2>
      <p>
        Free tiers put an app to sleep after a period of inactivity, 30 minutes on many hosts, and the next visitor has
        to wait for it to start. Register a URL here and ToolBox sends it a GET request
        {defaultInterval ? ` every ${formatInterval(defaultInterval)}` : ''}, day and night, so your app never goes
        idle.
      </p>
      <p>
        Every run is recorded: status, response time and, on failure, the reason. See at a glance when an app stopped
        responding.
      </p>
    </AboutCard>
  )
}

const Picture = () => (
  <svg viewBox="0 0 800 110" aria-hidden="true">
    <path className={css.ground} d="M0 92H800" />
    {pings.map((x) => (
      <g key={x}>
        <path className={css.stem} d={`M${x} 92V52`} />
        <circle className={css.head} cx={x} cy={40} r={6} />
      </g>
    ))}
  </svg>
)

const HoursOfList = lazyPart(async () => (await import('./hours.tsx')).FreeHoursSection)

const certificateNote = (certificate: Row['certificate']): string | undefined =>
  certificate && certificate.days <= soonDays
    ? `certificate ${formatExpiry(certificate).replace(/, on .*/, '')}`
    : undefined

const noteOf = ({ kept, due, certificate }: Row): string | undefined =>
  kept === 'person' && due !== null ? `extend by ${dayLabel(due)}` : certificateNote(certificate)

/** Loaded lazily: only few entries need the code for time zones. */
const QuietNote = lazyPart(async () => (await import('./quiet-note.tsx')).QuietNote)

/** Loaded lazily: only few entries need more than requests. */
const Kept = lazyPart(async () => (await import('./awake.tsx')).KeptBy)
const ToDo = lazyPart(async () => (await import('./awake.tsx')).ToDo)
const ActAhead = lazyPart(async () => (await import('./awake.tsx')).ActAhead)

type KeepaliveEntry = Detail & ListItemOf<typeof keepalive>

function Details({ entry }: { entry: KeepaliveEntry }) {
  const { url, interval, every, quiet, certificate, nextRunAt, kept } = entry
  const host = interval === 'auto' && !missingAct(entry) && hostOf(url)
  return (
    <>
      {kept !== 'person' && (
        <DetailRow name="Runs">
          Every {formatInterval(minutes(every))}
          {host && `, chosen for ${host.name}`}
        </DetailRow>
      )}
      {kept === 'request' && <DetailRow name="Request">{advancedLabel({ ...entry, quiet: null })}</DetailRow>}
      {kept !== 'request' && (
        <DetailRow name="Kept by">
          <Suspense fallback={'\u00a0'}>
            <Kept entry={entry} />
          </Suspense>
        </DetailRow>
      )}
      {quiet && nextRunAt !== null && (
        <DetailRow name="Quiet hours">
          <Suspense fallback={'\u00a0'}>
            <QuietNote quiet={quiet} nextRunAt={nextRunAt} />
          </Suspense>
        </DetailRow>
      )}
      {certificate && (
        <DetailRow name="Certificate">
          {formatExpiry(certificate).replace(/^./, (first) => first.toUpperCase())}
        </DetailRow>
      )}
    </>
  )
}

function Overview({ entry }: { entry: KeepaliveEntry }) {
  if (entry.awake !== 'paused' && entry.kept !== 'person' && !missingAct(entry)) return null
  return (
    <Suspense fallback={<div className={css.toDo} />}>
      <ToDo entry={entry} />
    </Suspense>
  )
}

type Row = Item & Pick<ListItemOf<typeof keepalive>, 'url' | 'certificate' | 'kept' | 'due'>

const columns = entryColumns<Row>({ tool: keepaliveNames, warning: noteOf }, urlColumn)

const example = 'https://app.example.com/health'

function PingAhead({ draft: { values } }: { draft: Draft<Settings & { status: boolean }> }) {
  const { method, headers, quiet, expect } = values
  const defaultInterval = useDefaultInterval(keepaliveNames.id)
  const typed = withScheme(values.url)
  const now = { ...values, url: typed }
  const act = effectiveAct(now)
  const interval = defaultInterval && effectiveInterval(now, defaultInterval)
  const every = interval ? `every ${formatInterval(interval)}` : 'at this interval'
  const host = hostOf(typed)
  const mayIdle = host && (host.keptBy || !host.interval || (interval !== undefined && sleepsBetween(host, interval)))
  const url = new URL(URL.canParse(typed) ? typed : example)
  if (act !== 'request')
    return (
      <Suspense fallback={<NextSteps steps={[]} />}>
        <ActAhead act={act} host={url.host} every={every} isActive={values.status} />
      </Suspense>
    )
  // Values may be secret, so hide them from onlookers.
  const sent = headers.flatMap(({ name, value }) => (name && value ? [`${name}: ••••`] : []))
  return (
    <NextSteps
      steps={[
        values.status ? (
          <>
            <b>{quiet ? 'As soon as you save, outside quiet hours,' : 'As soon as you save'}</b>
            {quiet ? ' ' : ', '}we send one {method} request to <b>{`${url.host}.`}</b>
          </>
        ) : (
          <>
            <b>Nothing yet</b>: the entry is inactive until you turn it on.
          </>
        ),
        <>
          Then one <b>{every}</b>
          {quiet
            ? `, but none from ${quietLabel(quiet)}.`
            : `, day and night${mayIdle ? '' : ', so the app never goes idle'}.`}
        </>,
        <>
          {expect ? `Success means: ${successLabel(expect)}` : 'Any status below 400 is a success'}, after up to five
          redirects. The response itself is not kept.
        </>,
        <>Each run is recorded with its time, or with the reason it failed.</>,
      ]}
    >
      <Snippet
        title="The request"
        name="the request"
        text={[`${method} ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`, ...sent].join('\n')}
      />
    </NextSteps>
  )
}

export const screens: ScreensOf<typeof keepalive> = {
  contract: keepaliveNames,
  listFoot: (
    <Suspense>
      <HoursOfList />
    </Suspense>
  ),
  statusHint: 'Turn off to pause. History is kept.',
  About,
  columns,
  fields,
  example: {
    text: 'For example, a free app that falls asleep, such as my-app.onrender.com, or a page that should always answer.',
    values: { name: 'Example page', url: 'https://example.com/' },
  },
  withoutSecrets: ({ headers, supabase }) => ({
    headers: headers.map(({ name }) => ({ name, value: '' })),
    supabase: supabase && { ...supabase, key: '' },
  }),
  check: async (settings) => issuesOf((await import('../contract.ts')).keepalive.Settings, settings),
  // Omit settings that only another host or act would need.
  complete: ({ url, headers, keep, supabase, due }) => ({
    url: withScheme(url),
    keep: keep === 'auto' && !hostOf(withScheme(url))?.keptBy ? 'request' : keep,
    supabase: requestedAct({ keep, url: withScheme(url) }) === 'supabase' ? supabase : null,
    due: requestedAct({ keep, url: withScheme(url) }) === 'person' ? due : null,
    headers: headers.filter(({ name, value }) => name.trim() !== '' || value !== ''),
  }),
  settingsForUrl: (url) => ({ interval: suggestedInterval(url) }),
  Fields,
  Apart: Host,
  Rare: Advanced,
  NextSteps: PingAhead,
  run: 'run',
  subject: ({ url }) => url,
  Overview,
  hasRuns: ({ kept }) => kept !== 'person',
  Details,
  rate: 'Uptime',
  counted: String,
  afterDelete: 'reload',
}
