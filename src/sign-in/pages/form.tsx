import type { ReactNode } from 'react'
import css from '../../people/pages/auth.module.css'
import { buttonClass } from '../../ui/components/button.tsx'
import { TextField } from '../../ui/form/field.tsx'

/** A form of the sign-in screens, with its button. */
export function AuthForm(props: { button: string; busy: boolean; onSend: () => void; children: ReactNode }) {
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        props.onSend()
      }}
    >
      {props.children}
      <button type="submit" className={buttonClass({ tone: 'primary', size: 'wide' })} disabled={props.busy}>
        {props.button}
      </button>
    </form>
  )
}

type UsernameProps = {
  value: string
  error?: string | undefined
  autoFocus?: boolean
  onChange: (text: string) => void
}

export const UsernameField = (props: UsernameProps) => (
  <TextField label="Username" autoComplete="username" autoCapitalize="none" spellCheck={false} required {...props} />
)
