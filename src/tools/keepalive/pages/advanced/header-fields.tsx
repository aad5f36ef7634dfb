import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import { Button, IconButton } from '../../../../ui/components/button.tsx'
import { Below, TextField } from '../../../../ui/form/field.tsx'
import css from './advanced.module.css'
import type { Requests } from './requests.ts'

type Headers = Requests['headers']
const most = 10

/** Headers one by one; a saved value is masked, and stays so until another is typed. */
export function HeaderFields(props: {
  headers: Headers
  error: string | undefined
  onChange: (headers: Headers) => void
}) {
  const { headers, error, onChange } = props
  const about = useId()
  const change = (at: number, changed: Partial<Headers[number]>) =>
    onChange(headers.map((header, index) => (index === at ? { ...header, ...changed } : header)))
  return (
    <fieldset className={css.headers} aria-describedby={about}>
      <legend>Headers</legend>
      {headers.map(({ name, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place alone
        <div key={at} className={css.header}>
          <TextField
            label={`Header ${at + 1}`}
            placeholder="apikey"
            autoComplete="off"
            spellCheck={false}
            code
            value={name}
            onText={(typed) => change(at, { name: typed })}
          />
          <TextField
            label={`Value ${at + 1}`}
            placeholder="Not sent without a value"
            autoComplete="off"
            spellCheck={false}
            code
            value={value}
            onFocus={(event) => event.currentTarget.select()}
            onText={(typed) => change(at, { value: typed })}
          />
          <IconButton label={`Remove header ${at + 1}`} onClick={() => onChange(headers.toSpliced(at, 1))}>
            <X size={15} aria-hidden="true" />
          </IconButton>
        </div>
      ))}
      <Below
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
