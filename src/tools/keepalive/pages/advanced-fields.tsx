import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button, IconButton } from '../../../ui/components/button.tsx'
import type { Draft } from '../../../ui/form/draft.ts'
import field from '../../../ui/form/field.module.css'
import { ChoiceField, HintOrError, TextField } from '../../../ui/form/field.tsx'
import { QuietFields } from '../../../ui/form/quiet-fields.tsx'
import { nightsIn } from '../../../ui/form/quiet-hours.ts'
import { browserZone } from '../../../ui/format-time.ts'
import css from './advanced.module.css'
import { type AdvancedSettings, answerErrors, quietErrors, toExpect } from './requests.ts'

type Props = { draft: Draft<AdvancedSettings> }

/** The advanced settings. Acts have their own requests and expected responses. */
export function AdvancedFields({ draft, isAct }: Props & { isAct: boolean }) {
  return (
    <>
      <Quiet draft={draft} />
      {!isAct && <Request draft={draft} />}
      {!isAct && <Answer draft={draft} />}
    </>
  )
}

function Quiet({ draft: { values, errors, set } }: Props) {
  // Keeps the hours for when they are turned on again.
  const [last, setLast] = useState(values.quiet ?? nightsIn(browserZone()))
  const hours = values.quiet ?? last
  return (
    <section className={css.part}>
      <QuietFields
        hint="No pings during these hours. The next one comes when they end."
        on={values.quiet !== null}
        hours={hours}
        errors={quietErrors(errors)}
        onSwitch={(on) => {
          setLast(hours)
          set('quiet', on ? hours : null)
        }}
        onHours={(changed) => set('quiet', { ...hours, ...changed })}
      />
    </section>
  )
}

function Request({ draft: { values, errors, set } }: Props) {
  return (
    <section className={css.part} aria-labelledby="request-of-entry">
      <h3 id="request-of-entry">Request</h3>
      <ChoiceField
        label="Method"
        value={values.method}
        onChange={(method) => set('method', method)}
        choices={[
          { value: 'GET', label: 'GET', hint: 'Full page' },
          { value: 'HEAD', label: 'HEAD', hint: 'Headers only' },
        ]}
      />
      <HeaderFields headers={values.headers} error={errors.headers} onChange={(headers) => set('headers', headers)} />
    </section>
  )
}

function Answer({ draft: { values, errors, set } }: Props) {
  const { method, expect } = values
  const wrong = answerErrors(errors, values)
  const hasNoText = method === 'HEAD' && expect?.text === undefined && expect?.absent === undefined
  const textHint = hasNoText
    ? 'Only with GET: the response to HEAD has no text.'
    : 'In the first 64 KB of the response.'
  const input = (name: 'statuses' | 'text' | 'absent') => ({
    autoComplete: 'off',
    value: expect?.[name] ?? '',
    error: wrong[name],
    onChange: (typed: string) => set('expect', toExpect({ ...expect, [name]: typed })),
  })
  return (
    <section className={css.part} aria-labelledby="answer-of-entry">
      <h3 id="answer-of-entry">Response</h3>
      <TextField
        {...input('statuses')}
        label="Expected codes"
        placeholder="Below 400"
        hint="Such as 200-399,401. Redirects are followed first."
        maxLength={200}
      />
      <TextField
        {...input('text')}
        label="Must contain"
        placeholder="Any text"
        hint={textHint}
        maxLength={500}
        disabled={hasNoText}
      />
      <TextField
        {...input('absent')}
        label="Must not contain"
        placeholder="Such as: Application error"
        maxLength={500}
        disabled={hasNoText}
      />
    </section>
  )
}

type Headers = AdvancedSettings['headers']
const most = 10

/** A saved value is masked until the user enters another. */
function HeaderFields(props: { headers: Headers; error: string | undefined; onChange: (headers: Headers) => void }) {
  const { headers, error, onChange } = props
  const about = useId()
  const text = { autoComplete: 'off', spellCheck: false, code: true }
  const change = (at: number, changed: Partial<Headers[number]>) =>
    onChange(headers.map((header, index) => (index === at ? { ...header, ...changed } : header)))
  return (
    <fieldset className={`${field.field} ${css.headers}`} aria-describedby={about}>
      <legend>Headers</legend>
      {headers.map(({ name, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place alone
        <div key={at} className={css.header}>
          <TextField
            {...text}
            label={`Header ${at + 1}`}
            placeholder="apikey"
            value={name}
            onChange={(typed) => change(at, { name: typed })}
          />
          <TextField
            {...text}
            label={`Value ${at + 1}`}
            placeholder="Not sent without a value"
            value={value}
            onFocus={(event) => event.currentTarget.select()}
            onChange={(typed) => change(at, { value: typed })}
          />
          <IconButton label={`Remove header ${at + 1}`} onClick={() => onChange(headers.toSpliced(at, 1))}>
            <X size={15} aria-hidden="true" />
          </IconButton>
        </div>
      ))}
      <HintOrError
        id={about}
        error={error}
        hint="Values are stored encrypted and never shown in full again. They go to this host only."
      />
      {headers.length < most && (
        <div>
          <Button size="small" onClick={() => onChange([...headers, { name: '', value: '' }])}>
            <Plus size={14} aria-hidden="true" />
            Add header
          </Button>
        </div>
      )}
    </fieldset>
  )
}
