import { useState } from 'react'
import { scopes } from '../../people/contract.ts'
import { days, type Instant } from '../../shared/time.ts'
import { NewKeyBody } from '../../sign-in/contract.ts'
import { FormModal } from '../../ui/components/modal/form-modal.tsx'
import { type Answer, useCall } from '../../ui/data/call.ts'
import { CheckList } from '../../ui/form/check-list.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { useDialogForm } from '../../ui/form/editor.ts'
import { ChoiceField, TextField } from '../../ui/form/field.tsx'
import { blankOf, type Fields, labelledInputs } from '../../ui/form/fields.ts'
import { issuesOf } from '../../ui/form/issues.ts'
import { ShownOnceModal } from '../../ui/form/shown-once-modal.tsx'
import { timeNow } from '../../ui/time-now.ts'
import { reloadWithActivity } from './load.ts'
import css from './own.module.css'

export type FreshKey = Answer<'POST /api/v1/user/apikeys'>
type Scope = (typeof scopes)[number]
type Expiry = keyof typeof spans | 'never' | 'date'
const spans = { month: days(30), quarter: days(90), year: days(365) } as const

const expiryChoices: readonly { value: Expiry; label: string }[] = [
  { value: 'month', label: '30 days' },
  { value: 'quarter', label: '90 days' },
  { value: 'year', label: 'A year' },
  { value: 'date', label: 'A date' },
  { value: 'never', label: 'Never' },
]

/** Null means never, NaN that the date is missing. A date includes its whole day in the browser's time zone. */
export function expiryOf(choice: Expiry, date: string, now: Instant): Instant | null {
  if (choice === 'never') return null
  if (choice !== 'date') return now + spans[choice]
  return new Date(`${date}T23:59:59.999`).getTime()
}

type Values = { name: string; scopes: Scope[]; expiry: Expiry; date: string }

const keyFields: Fields<Values> = {
  name: { label: 'Name', blank: '' },
  scopes: { label: 'Scopes', blank: ['read'] },
  expiry: { label: 'Expires', blank: 'quarter' },
  date: { label: 'Last day', blank: '' },
}
const scopeLabels: Record<Scope, readonly [string, string]> = {
  read: ['Read', 'view your data'],
  write: ['Write', 'change your data'],
}
const scopeOptions = scopes.map((value) => {
  const [name, about] = scopeLabels[value]
  return {
    value,
    label: (
      <>
        <b>{name}</b>: {about}
      </>
    ),
  }
})

type Props = { open: boolean; name: string; onClose: () => void; onMade: (newKey: FreshKey) => void }

export const NewKeyModal = ({ newKey, ...props }: Props & { newKey: FreshKey | undefined }) =>
  newKey ? <FreshKeyModal newKey={newKey} onClose={props.onClose} /> : <AskModal {...props} />

function AskModal(props: Props) {
  const [first] = useState({ ...blankOf(keyFields), name: props.name })
  const draft = useDraft(first)
  const create = useCall('POST /api/v1/user/apikeys', {
    // Runs even if the form has been closed and opened anew meanwhile, unlike `onSaved`.
    onSuccess: (newKey) => {
      props.onMade(newKey)
      void reloadWithActivity('GET /api/v1/user/apikeys')
    },
  })
  const { values, errors } = draft
  const field = labelledInputs(draft, keyFields)
  const form = useDialogForm({
    open: props.open,
    draft,
    body: () => {
      const { name, scopes, expiry, date } = values
      return { name, scopes, expiresAt: expiryOf(expiry, date, timeNow()) }
    },
    check: (key) => (Number.isNaN(key.expiresAt) ? { date: 'Choose a date.' } : issuesOf(NewKeyBody, key)),
    mutation: create,
    onSaved: () => {},
  })
  return (
    <FormModal {...form} title="New API key" verb="Create key" onClose={props.onClose}>
      <TextField {...field('name')} hint="E.g. deploy script" autoComplete="off" maxLength={60} />
      <CheckList {...field('scopes')} options={scopeOptions} />
      <ChoiceField {...field('expiry')} choices={expiryChoices}>
        {values.expiry === 'date' && (
          <TextField {...field('date')} type="date" error={errors.date ?? errors.expiresAt} />
        )}
      </ChoiceField>
    </FormModal>
  )
}

const FreshKeyModal = (props: { newKey: FreshKey; onClose: () => void }) => (
  <ShownOnceModal
    title="Your new API key"
    description="Copy it now and keep it safe."
    label={props.newKey.name}
    text={props.newKey.key}
    noun="key"
    onClose={props.onClose}
  >
    <p className={css.note}>
      Send it with each request: <code>Authorization: Bearer tbx_…</code>
    </p>
  </ShownOnceModal>
)
