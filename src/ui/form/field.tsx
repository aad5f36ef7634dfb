import { type ComponentProps, type ReactNode, useId } from 'react'
import css from './field.module.css'

// Password managers may fill a field without an event, so each field's value is reported again before a form is sent.
globalThis.document?.addEventListener(
  'submit',
  ({ target }) => {
    if (!(target instanceof HTMLFormElement)) return
    const fields = [...target.elements].filter((field) => field instanceof HTMLInputElement)
    const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
    for (const { field, value } of fields.map((field) => ({ field, value: field.value }))) {
      // React resets such a field when it renders the change of another.
      if (field.value !== value) setValue?.call(field, value)
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
  },
  true,
)

type Words = { label: string; hint?: ReactNode; error?: string | undefined }

/** A labelled input with a hint, or an error in its place. */
export function TextField({
  label,
  hint,
  error,
  code,
  onChange,
  ...input
}: Words & { code?: boolean; onChange?: (text: string) => void } & Omit<
    ComponentProps<'input'>,
    'className' | 'onChange'
  >) {
  const id = useId()
  const about = `${id}-about`
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        {...input}
        className={code ? `${css.input} ${css.code}` : css.input}
        aria-invalid={error ? true : undefined}
        aria-describedby={error || hint ? about : undefined}
        onChange={({ target }) => {
          keepCaret(target)
          onChange?.(target.value)
        }}
        // Scrolling over a focused number field would change its value.
        onWheel={({ currentTarget }) => currentTarget.type === 'number' && currentTarget.blur()}
      />
      <HintOrError id={about} error={error} hint={hint} />
    </div>
  )
}

/** Keeps the caret before the same characters if the typed text is changed, such as by removing a space. */
function keepCaret(field: HTMLInputElement) {
  const { value, selectionEnd } = field
  if (selectionEnd === null) return
  // By then, React has set the changed text.
  queueMicrotask(() => {
    if (field.value === value) return
    const at = Math.max(0, field.value.length - value.length + selectionEnd)
    field.setSelectionRange(at, at)
  })
}

export const EmailField = (props: Omit<ComponentProps<typeof TextField>, 'label' | 'type'>) => (
  <TextField label="Email" type="email" autoComplete="email" required spellCheck={false} {...props} />
)

type NumberProps = Omit<ComponentProps<typeof TextField>, 'value' | 'onChange'> & {
  value: number
  onChange: (value: number) => void
}

/** A number; NaN while the field is empty. */
export const NumberField = ({ value, onChange, ...rest }: NumberProps) => (
  <TextField
    type="number"
    inputMode="numeric"
    value={Number.isNaN(value) ? '' : value}
    onChange={(text) => onChange(text === '' ? Number.NaN : Number(text))}
    {...rest}
  />
)

export function HintOrError({ id, hint, error }: { id: string; hint?: ReactNode; error?: string | undefined }) {
  if (error)
    return (
      <small id={id} className={css.error} role="alert">
        {error}
      </small>
    )
  return hint ? <small id={id}>{hint}</small> : null
}

export function SwitchField(props: { label: string; hint: string; value: boolean; onChange: (on: boolean) => void }) {
  const id = useId()
  return (
    <div className={css.row}>
      <div>
        <label htmlFor={id}>{props.label}</label>
        <small id={`${id}-hint`}>{props.hint}</small>
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        aria-checked={props.value}
        className={css.switch}
        aria-describedby={`${id}-hint`}
        checked={props.value}
        onChange={(event) => props.onChange(event.target.checked)}
      />
    </div>
  )
}

/** A few visible choices, one of which is selected. */
export function ChoiceField<Value extends string>(props: {
  label: string
  choices: readonly { value: Value; label: string; hint?: string | undefined; picture?: string | undefined }[]
  value: Value
  onChange: (value: Value) => void
  children?: ReactNode
}) {
  const name = useId()
  return (
    <fieldset className={css.field}>
      <legend>{props.label}</legend>
      <div className={css.choices}>
        {props.choices.map(({ value, label, hint, picture }) => (
          <label key={value} className={css.choice}>
            <input
              type="radio"
              name={name}
              className="sr"
              checked={value === props.value}
              onChange={() => props.onChange(value)}
            />
            {picture && <img src={picture} alt="" />}
            <b>{label}</b>
            {hint && <small>{hint}</small>}
          </label>
        ))}
      </div>
      {props.children}
    </fieldset>
  )
}
