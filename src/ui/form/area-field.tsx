import { useId } from 'react'
import css from './field.module.css'
import { HintOrError } from './field.tsx'

/** Counts a text's characters in a hint, with an error if there are too many. */
export function lengthNote(text: string, most: number): { error: string | undefined; hint: string } {
  const used = text.trim().length
  const error = used > most ? `${used} characters: ${used - most} too many.` : undefined
  return { error, hint: `${used} of ${most} characters` }
}

export function AreaField(props: {
  label: string
  value: string
  most: number
  error?: string | undefined
  onChange: (text: string) => void
}) {
  const id = useId()
  const about = `${id}-about`
  const { error = props.error, hint } = lengthNote(props.value, props.most)
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
      <HintOrError id={about} error={error} hint={hint} />
    </div>
  )
}
