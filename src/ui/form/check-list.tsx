import { type ReactNode, useId } from 'react'
import css from './check-list.module.css'
import { HintOrError } from './field.tsx'

export function CheckList<Value extends string | number>(props: {
  label: string
  options: readonly { value: Value; label: ReactNode }[]
  value: readonly Value[]
  inline?: boolean
  error?: string | undefined
  onChange: (value: Value[]) => void
}) {
  const { label, options, value: chosen, inline = false, error, onChange } = props
  const about = useId()
  const toggle = (value: Value) =>
    options.flatMap((one) => (chosen.includes(one.value) !== (one.value === value) ? [one.value] : []))
  return (
    <fieldset className={css.checks} data-inline={inline || undefined} aria-describedby={error ? about : undefined}>
      <legend>{label}</legend>
      {options.map(({ value, label }) => (
        <label key={value}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => onChange(toggle(value))} />
          <span>{label}</span>
        </label>
      ))}
      <HintOrError id={about} error={error} />
    </fieldset>
  )
}
