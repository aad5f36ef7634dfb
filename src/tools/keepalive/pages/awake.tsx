import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ListItemOf } from '../../../entries/contract.ts'
import { Ahead } from '../../../entries/pages/aside.tsx'
import type { Detail } from '../../../entries/pages/tool-pages.ts'
import { type Milliseconds, minutes } from '../../../shared/time.ts'
import { Button } from '../../../ui/components/button.tsx'
import { Ago } from '../../../ui/components/moment.tsx'
import { reload, useCall } from '../../../ui/data/call.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { ChoiceField, TextField } from '../../../ui/form/field.tsx'
import { withScheme } from '../../../ui/form/web-address.ts'
import { formatDay, formatInterval } from '../../../ui/format-time.ts'
import { succeed, warn } from '../../../ui/toasts.ts'
import { everyOf, keepLabels, keptOf, wantedOf } from '../acts/terms.ts'
import type { Kept, keepalive } from '../contract.ts'
import { asOf, hostOf, type KnownHost } from '../hosts/terms.ts'
import { keepaliveNames } from '../terms.ts'
import css from './awake.module.css'
import type { Settings } from './fields.tsx'

const notice = 'You get a notice a week before the date and again on the day.'

/** What will happen, in one sentence. */
const happens: Readonly<Record<Kept, (every: string) => string>> = {
  request: (every) => `Sends a plain request every ${every}, which keeps no app awake here.`,
  streamlit: (every) => `Asks every ${every} whether the app sleeps, wakes it, and stays for 15 seconds.`,
  supabase: (every) => `Queries the table in several ways every ${every}.`,
  person: () => `Sends no requests: somebody has to press a button at the host. ${notice}`,
}

/** What keeps an app awake that needs more than requests, what will happen, and what that takes. */
export function KeepFields(props: {
  draft: Draft<Settings>
  host: KnownHost | undefined
  usual: Milliseconds | undefined
}) {
  const { draft, host, usual } = props
  const { values, errors, set } = draft
  const now = { ...values, url: withScheme(values.url) }
  const [kept, wanted] = [keptOf(now), wantedOf(now)]
  const every = kept === 'request' && usual === undefined ? 'few minutes' : formatInterval(everyOf(now, usual ?? 0))
  const named = values.keep === 'auto' || values.keep === 'request' ? [] : [values.keep]
  return (
    <>
      <ChoiceField
        label="Kept awake by"
        value={values.keep}
        onChange={(keep) => {
          set('keep', keep)
          // A plain request comes more often than an act may.
          if (keep !== 'request') set('interval', 'auto')
        }}
        choices={[
          { value: 'auto', label: keepLabels.auto, hint: keepLabels[host?.keptBy ?? 'request'] },
          { value: 'request', label: keepLabels.request, hint: 'As elsewhere' },
          ...named.map((value) => ({ value, label: keepLabels[value] })),
        ]}
      >
        <p className={css.happens} data-warns={kept === 'request' || undefined}>
          {kept === 'request' && <TriangleAlert size={14} aria-hidden="true" />}
          <span>
            {happens[kept](every)} <small>Hosts don't promise that this works. Facts of {asOf}.</small>
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
          hint="The date that the host shows. Done on the entry's page plans the next."
          value={values.due ?? ''}
          error={errors.due}
          onChange={(due) => set('due', due || null)}
        />
      )}
    </>
  )
}

type Key = NonNullable<Settings['supabase']>

/** What is asked of a Supabase project, and by which key; a saved key is masked, and stays so until another is typed. */
function KeyFields(props: {
  value: Key | null
  errors: Draft<Settings>['errors']
  onChange: (key: Key | null) => void
}) {
  const { value, errors, onChange } = props
  const { key, table, rpc } = value ?? { key: '', table: '' }
  const change = (changed: Partial<Key>) => {
    const { rpc: call, ...next } = { key, table, rpc, ...changed }
    onChange(next.key || next.table || call ? { ...next, ...(call && { rpc: call }) } : null)
  }
  const [ofTable, ofCall] = [errors['supabase.table'], errors['supabase.rpc']]
  const text = { autoComplete: 'off', spellCheck: false, code: true }
  return (
    <>
      <TextField
        {...text}
        label="Publishable key"
        placeholder="sb_publishable_…"
        hint="Stored encrypted and never shown in full again. It goes to this project only."
        value={key}
        error={errors['supabase.key'] ?? (ofTable || ofCall ? undefined : errors.supabase)}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(key) => change({ key })}
      />
      <TextField
        {...text}
        label="Table"
        placeholder="todos"
        hint="One that this key may read."
        value={table}
        error={ofTable}
        onChange={(table) => change({ table })}
      />
      <TextField
        {...text}
        label="Function"
        placeholder="Optional"
        hint="One without arguments, called each time; if it writes, that counts for more."
        value={rpc ?? ''}
        error={ofCall}
        onChange={(rpc) => change({ rpc })}
      />
    </>
  )
}

/** What comes after the first turn of an act, and what counts as a success. */
const actBegins = {
  streamlit: 'we ask Streamlit about',
  supabase: 'we query the database of',
  person: 'we look at the date of',
} as const
const actSteps = {
  streamlit: [
    'If it sleeps, we wake it, which takes up to 20 minutes.',
    'Then we stay for 15 seconds, as a visitor does.',
  ],
  supabase: ['No two queries are alike, since the database counts what it has to do.'],
  person: ['You hear a week before the date and again on the day. Done plans the next.'],
} as const

/** What an act does once a new entry is saved. */
export function ActAhead(props: { kept: Exclude<Kept, 'request'>; host: string; every: string; isActive: boolean }) {
  const { kept, host, every, isActive } = props
  const first = (
    <>
      <b>{kept === 'person' ? 'From then on' : 'As soon as you save'}</b>, {actBegins[kept]} <b>{host}</b>.
    </>
  )
  const nothing = (
    <>
      <b>Nothing yet</b>: the entry is inactive until you turn it on.
    </>
  )
  const last = kept === 'person' ? [] : [`The same ${every}. A run is a success only if the app was awake after it.`]
  return <Ahead steps={[isActive ? first : nothing, ...actSteps[kept], ...last]} />
}

type Known = Pick<
  ListItemOf<typeof keepalive>,
  'url' | 'keep' | 'kept' | 'awake' | 'foundAsleep' | 'place' | 'restorableUntil' | 'due'
>

/** What keeps an entry's app awake, what turns have seen of it, and what somebody has to do. */
export const KeptBy = ({ entry }: { entry: Detail & Known }) => (
  <>
    {keepLabels[entry.kept]}
    <Seen entry={entry} />
    <ToDo entry={entry} />
  </>
)

/** What turns have seen of an entry's app. */
function Seen({ entry }: { entry: Known }) {
  const { place, awake, foundAsleep, restorableUntil } = entry
  const { count, lastAt } = foundAsleep
  return (
    <>
      {awake === 'paused' && place !== null && restorableUntil !== null && (
        <p>
          Paused by Supabase. <Out to={place}>Restore it</Out>, which works until {formatDay(restorableUntil)}.
        </p>
      )}
      {lastAt !== null && (
        <p>
          Found asleep {count === 1 ? 'once' : `${count} times`}, last <Ago at={lastAt} />.
        </p>
      )}
    </>
  )
}

const Out = ({ to, children }: { to: string; children: ReactNode }) => (
  <a href={to} target="_blank" rel="noopener noreferrer" className={css.out}>
    {children}
  </a>
)

const again = () => reload({ queryKey: ['entries', keepaliveNames.id] })

/** What somebody has to do for an entry: extend its app, or choose what keeps it awake. */
function ToDo({ entry }: { entry: Detail & Known }) {
  const done = useCall('POST /api/v1/keepalive/done?id', {
    onSuccess: ({ due }) => {
      succeed(`Next time by ${formatDay(Date.parse(due))}.`)
      return again()
    },
  })
  const change = useCall('PATCH /api/v1/:tool', {
    onSuccess: ({ warning }: Detail) => {
      if (warning) warn(warning)
      else succeed('Successfully updated entry.')
      return again()
    },
  })
  const { id, url, keep, kept, due, place } = entry
  if (kept === 'person' && due !== null && place !== null)
    return (
      <Offer
        title={`Extend by ${formatDay(Date.parse(due))}`}
        button="Done"
        busy={done.isPending}
        onPress={() => done.mutate({ id })}
      >
        Press the button at <Out to={place}>its host</Out>, then Done. {notice}
      </Offer>
    )
  const by = hostOf(url)?.keptBy
  if (!by || keep !== 'request') return null
  const settings = { keep: 'auto', interval: 'auto', ifUpdatedAt: entry.updatedAt }
  return (
    <Offer
      title="Requests don't keep this app awake"
      button="Keep it awake"
      busy={change.isPending}
      onPress={() => change.mutate({ tool: keepaliveNames.id, id, ...settings })}
    >
      {happens[by](formatInterval(everyOf({ ...whole, url, keep: by }, minutes(1))))} Hosts don't promise that this
      works.
    </Offer>
  )
}

/** Settings with all that any act takes. */
const whole = { interval: 'auto', supabase: { key: '•', table: '•' }, due: '' } as const

const Offer = (props: { title: string; button: string; busy: boolean; onPress: () => void; children: ReactNode }) => (
  <section className={css.offer} aria-label={props.title}>
    <div>
      <b>{props.title}</b>
      <p>{props.children}</p>
    </div>
    <Button size="small" tone="primary" disabled={props.busy} onClick={props.onPress}>
      {props.button}
    </Button>
  </section>
)
