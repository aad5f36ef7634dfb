import { useId } from 'react'
import css from './field.module.css'
import { HintOrError } from './field.tsx'

export function AreaField(props: {
  label: string
  value: string
  most: number
  error?: string | undefined
  onChange: (text: string) => void
}) {
  const id = useId()
  const about = `${id}-about`
  const used = props.value.trim().length
  const error = used > props.most ? `${used} characters: ${used - props.most} too many.` : props.error
  return (
    <div className={css.field}>
      <label htmlFor={id}>{props.label}</label>
      <textarea
        id={id}
        rows={3}
        className={`${css.input} ${css.area}`}
        value={props.value}
        aria-invalid={error ? true : undefined}
        aria-describedby={about}
        onChange={(event) => props.onChange(event.target.value)}
      />
      <HintOrError id={about} error={error} hint={`${used} of ${props.most} characters`} />
    </div>
  )
}
