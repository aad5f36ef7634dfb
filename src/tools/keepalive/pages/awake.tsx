import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ListItemOf } from '../../../entries/contract.ts'
import { NextSteps } from '../../../entries/pages/aside.tsx'
import { pluralize } from '../../../entries/pages/bulk-labels.ts'
import type { Detail } from '../../../entries/pages/tool-pages.ts'
import { Button, Buttons, buttonClass } from '../../../ui/components/button.tsx'
import { Ago } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { call, reload, useCall } from '../../../ui/data/call.ts'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { noteEdit } from '../../../ui/form/conflict/edits.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { ChoiceField, TextField } from '../../../ui/form/field.tsx'
import { withScheme } from '../../../ui/form/web-address.ts'
import { formatDay, formatInterval } from '../../../ui/format-time.ts'
import { outcomeNote } from '../../../ui/table/selection/batches.ts'
import { notify, notifySuccess, notifyWarning } from '../../../ui/toasts.ts'
import { actEvery, effectiveAct, effectiveInterval, keepLabels, missingAct, requestedAct } from '../acts/terms.ts'
import type { ActKind, keepalive } from '../contract.ts'
import { asOf } from '../hosts/terms.ts'
import { keepaliveNames } from '../terms.ts'
import css from './awake.module.css'
import type { Settings } from './fields.tsx'
import { dayLabel } from './requests.ts'

const { id: tool } = keepaliveNames
const notice = 'You are notified a week before the date and again on the day.'

const actDescriptions: Readonly<Record<ActKind, (every: string) => string>> = {
  request: (every) => `We send a plain request every ${every}, which doesn't keep this app awake.`,
  streamlit: (every) => `We check every ${every} whether the app is asleep, wake it, and stay for 15 seconds.`,
  supabase: (every) => `We query the table in several ways every ${every}.`,
  person: () => `We send no requests: someone has to press a button on the host's site. ${notice}`,
}

const requiredSettings: Readonly<Partial<Record<ActKind, string>>> = {
  supabase: "the project's publishable key and a table",
  person: 'the date by which the app has to be extended',
}

export function KeepFields({ draft: { values, errors, set } }: { draft: Draft<Settings> }) {
  const defaultInterval = useDefaultInterval(tool)
  const now = { ...values, url: withScheme(values.url) }
  const [act, wanted] = [effectiveAct(now), requestedAct(now)]
  const every =
    act === 'request' && defaultInterval === undefined
      ? 'few minutes'
      : formatInterval(effectiveInterval(now, defaultInterval ?? 0))
  const named = values.keep === 'auto' || values.keep === 'request' ? [] : [values.keep]
  return (
    <>
      <ChoiceField
        label="Kept awake by"
        value={values.keep}
        onChange={(keep) => {
          set('keep', keep)
          // Requests may have a shorter interval than acts allow.
          if (keep !== 'request') set('interval', 'auto')
        }}
        choices={[
          { value: 'auto', label: keepLabels.auto, hint: keepLabels[requestedAct({ ...now, keep: 'auto' })] },
          { value: 'request', label: keepLabels.request, hint: "Won't keep it awake" },
          ...named.map((value) => ({ value, label: keepLabels[value] })),
        ]}
      >
        <p className={css.happens} data-warns={act === 'request' || undefined}>
          {act === 'request' && <TriangleAlert size={14} aria-hidden="true" />}
          <span>
            {wanted === act
              ? actDescriptions[act](every)
              : `Enter ${requiredSettings[wanted]}. Until then, ${actDescriptions[act](every).replace(/^W/, 'w')}`}
            {act !== 'request' && <small> Hosts don't promise that this works. Checked {asOf}.</small>}
          </span>
        </p>
      </ChoiceField>
      {wanted === 'supabase' && (
        <KeyFields value={values.supabase} errors={errors} onChange={(supabase) => set('supabase', supabase)} />
      )}
      {wanted === 'person' && (
        <TextField
          label="Extend by"
          type="date"
          hint="The date that your host shows. Pressing Done on this entry's page moves it by a month."
          value={values.due ?? ''}
          error={errors.due}
          onChange={(due) => set('due', due || null)}
        />
      )}
    </>
  )
}

type Key = NonNullable<Settings['supabase']>

/** A saved key is masked until the user enters another. */
function KeyFields(props: {
  value: Key | null
  errors: Draft<Settings>['errors']
  onChange: (key: Key | null) => void
}) {
  const { value, errors, onChange } = props
  const change = (changed: Partial<Key>) => {
    const { rpc: call, ...next } = { key: '', table: '', ...value, ...changed }
    onChange(next.key || next.table || call ? { ...next, ...(call && { rpc: call }) } : null)
  }
  const [ofTable, ofCall] = [errors['supabase.table'], errors['supabase.rpc']]
  const input = (name: keyof Key) => ({
    ...{ autoComplete: 'off', spellCheck: false, code: true },
    value: value?.[name] ?? '',
    onChange: (text: string) => change({ [name]: text }),
  })
  return (
    <>
      <TextField
        {...input('key')}
        label="Publishable key"
        placeholder="sb_publishable_…"
        hint="In Supabase under Project Settings, API Keys. Stored encrypted, and sent to this project only."
        error={errors['supabase.key'] ?? (ofTable || ofCall ? undefined : errors.supabase)}
        onFocus={(event) => event.currentTarget.select()}
      />
      <TextField
        {...input('table')}
        label="Table"
        placeholder="todos"
        hint="Any table that this key can read."
        error={ofTable}
      />
      <TextField
        {...input('rpc')}
        label="Function"
        placeholder="Optional"
        hint="Takes no arguments and is called every time. Prefer one that writes: reads alone may not count."
        error={ofCall}
      />
    </>
  )
}

const actBegins = {
  streamlit: 'we ask Streamlit about',
  supabase: 'we query the database of',
  person: 'we start watching the date of',
} as const
const actSteps = {
  streamlit: [
    'If it sleeps, we wake it, which takes up to 20 minutes.',
    'Then we stay for 15 seconds, as a visitor does.',
  ],
  supabase: ['Each time, we run several different queries: a few a day typically keep a project active.'],
  person: [notice, "Extend the app at its host, then press Done on the entry's page to plan the next time."],
} as const

export function ActAhead(props: { act: Exclude<ActKind, 'request'>; host: string; every: string; isActive: boolean }) {
  const { act, host, every, isActive } = props
  const first = (
    <>
      <b>As soon as you save</b>, {actBegins[act]} <b>{`${host}.`}</b>
    </>
  )
  const nothing = (
    <>
      <b>Nothing yet</b>: the entry is inactive until you turn it on.
    </>
  )
  const last = act === 'person' ? [] : [`This repeats ${every}. A run succeeds only if the app is awake at its end.`]
  return <NextSteps steps={[isActive ? first : nothing, ...actSteps[act], ...last]} />
}

type KeepaliveEntry = Detail & ListItemOf<typeof keepalive>

export function KeptBy({ entry: { kept, foundAsleep } }: { entry: KeepaliveEntry }) {
  const { count, lastAt } = foundAsleep
  return (
    <>
      {keepLabels[kept]}
      {lastAt !== null && (
        <p>
          Found asleep {count === 1 ? 'once' : `${count} times`}, last <Ago at={lastAt} />.
        </p>
      )}
    </>
  )
}

export function ToDo({ entry }: { entry: KeepaliveEntry }) {
  const { awake, kept, due, place, restorableUntil } = entry
  const missing = missingAct(entry)
  if (awake === 'paused' && place !== null && restorableUntil !== null)
    return (
      <Offer
        title="Paused by its host"
        acts={
          <a
            href={place}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonClass({ size: 'small', tone: 'primary' })}
          >
            Restore it
          </a>
        }
      >
        Restore it in the Supabase dashboard by {formatDay(restorableUntil)}. Queries then resume automatically.
      </Offer>
    )
  if (kept === 'person' && due !== null && place !== null) return <Extend id={entry.id} due={due} place={place} />
  return missing && <ActOffer entry={entry} act={missing} />
}

const reloadEntries = () => reload({ queryKey: ['entries', tool] })

function Extend({ id, due, place }: { id: string; due: string; place: string }) {
  const done = useCall('POST /api/v1/keepalive/done?id', {
    onSuccess: ({ due }) => {
      notifySuccess(`Extend it again by ${dayLabel(due)}.`)
      return reloadEntries()
    },
  })
  return (
    <Offer
      title={`Extend by ${dayLabel(due)}`}
      acts={
        <>
          <a href={place} target="_blank" rel="noopener noreferrer" className={buttonClass({ size: 'small' })}>
            Open the host
          </a>
          <Button size="small" tone="primary" disabled={done.isPending} onClick={() => done.mutate({ id })}>
            Done
          </Button>
        </>
      }
    >
      Press the button on the host's site, then Done here. {notice}
    </Offer>
  )
}

/** The user's entries that could switch to an act immediately. */
const offersQuery = queryOptions({
  queryKey: ['entries', tool, 'offers'],
  queryFn: () => call('GET /api/v1/keepalive/offers', undefined),
  meta: { quiet: true, about: { topic: tool, outlastsRuns: true } },
})

const auto = { keep: 'auto', interval: 'auto' } as const

/** Offers to switch an entry whose requests keep no app awake to its host's act, and other such entries too. */
function ActOffer({ entry, act }: { entry: KeepaliveEntry; act: Exclude<ActKind, 'request'> }) {
  const { id, keep, updatedAt } = entry
  const { data } = useQuery(offersQuery)
  const change = useCall('PATCH /api/v1/:tool', {
    onSuccess: ({ id, updatedAt, warning }: Detail) => {
      noteEdit({ id, updatedAt })
      if (warning) notifyWarning(warning)
      else notifySuccess('Successfully updated entry.')
      return reloadEntries()
    },
  })
  const changeAll = useCall('POST /api/v1/keepalive/offers', {
    onSuccess: (answer) => {
      notify(outcomeNote('kept awake from now on', answer))
      return reloadEntries()
    },
  })
  const others = data?.ids.filter((other) => other !== id).length ?? 0
  const isAmong = data?.ids.includes(id)
  const lacks = effectiveAct({ ...entry, keep: act }) === act ? undefined : requiredSettings[act]
  const busy = change.isPending || changeAll.isPending
  return (
    <Offer
      title="Requests don't keep this app awake"
      acts={
        <>
          {others > 0 && (
            <Button size="small" disabled={busy} onClick={() => changeAll.mutate(undefined)}>
              {isAmong ? `Keep all ${others + 1} awake` : `Keep ${pluralize(others, 'other entry')} awake`}
            </Button>
          )}
          {keep === 'request' ? (
            <Button
              size="small"
              tone="primary"
              disabled={busy}
              onClick={() => change.mutate({ tool, id, ...auto, ifUpdatedAt: updatedAt })}
            >
              Keep it awake
            </Button>
          ) : (
            <Link to="." search={true} hash="settings" className={buttonClass({ size: 'small', tone: 'primary' })}>
              Go to Settings
            </Link>
          )}
        </>
      }
    >
      {actDescriptions[act](formatInterval(actEvery[act]))}
      {lacks && ` Needs ${lacks}.`} Hosts don't promise that this works.
    </Offer>
  )
}

const Offer = (props: { title: string; acts: ReactNode; children: ReactNode }) => (
  <Card className={css.offer} aria-label={props.title}>
    <div>
      <h2>{props.title}</h2>
      <p>{props.children}</p>
    </div>
    <Buttons>{props.acts}</Buttons>
  </Card>
)
