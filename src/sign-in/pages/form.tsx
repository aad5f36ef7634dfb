import type { ReactNode } from 'react'
import css from '../../people/pages/auth.module.css'
import { Button, buttonClass } from '../../ui/components/button.tsx'
import { Form } from '../../ui/components/form.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { LastUsed } from './passkey-button.tsx'
import { ProviderMark } from './provider-mark.tsx'

export function AuthForm(props: { button: string; busy: boolean; onSend: () => void; children: ReactNode }) {
  return (
    <Form className={css.form} onSend={props.onSend}>
      {props.children}
      <button type="submit" className={buttonClass({ tone: 'primary', size: 'wide' })} disabled={props.busy}>
        {props.button}
      </button>
    </Form>
  )
}

type ProviderProps = {
  providers: readonly { id: string; name: string }[]
  /** The text before the provider's name. */
  verb: string
  busy: boolean
  last?: string | null
  onChoose: (id: string) => void
}

export const ProviderButtons = ({ providers, verb, busy, last, onChoose }: ProviderProps) =>
  providers.map(({ id, name }) => (
    <Button key={id} size="wide" disabled={busy} onClick={() => onChoose(id)}>
      <ProviderMark id={id} size={17} />
      {verb} {name}
      {id === last && <LastUsed />}
    </Button>
  ))

type UsernameProps = {
  value: string
  error?: string | undefined
  hint?: string | undefined
  autoFocus?: boolean
  onChange: (text: string) => void
}

export const UsernameField = (props: UsernameProps) => (
  <TextField label="Username" autoComplete="username" autoCapitalize="none" spellCheck={false} required {...props} />
)

/** Names the user for password managers, in forms that ask only for a password. */
export const HiddenUsername = ({ of }: { of: { credUsername: string | null } }) => (
  <input
    className="sr"
    aria-hidden="true"
    tabIndex={-1}
    autoComplete="username"
    value={of.credUsername ?? ''}
    readOnly
  />
)
