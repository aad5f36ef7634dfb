import { type ComponentProps, useState } from 'react'
import css from '../../people/pages/auth.module.css'
import { TextField } from '../../ui/form/field.tsx'

type Props = Omit<ComponentProps<typeof TextField>, 'hint' | 'autoComplete'>

/** A field for a new password; `also` is an additional hint. */
export const NewPasswordField = ({ also, ...rest }: Props & { also?: string }) => (
  <TextField
    type="password"
    autoComplete="new-password"
    hint={['At least 12 characters.', also].join(' ').trim()}
    {...rest}
  />
)

export function ShownPasswordField(props: Omit<Props, 'type' | 'required'>) {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <NewPasswordField {...props} type={isShown ? 'text' : 'password'} required />
      <label className={css.seen}>
        <input type="checkbox" checked={isShown} onChange={(event) => setShown(event.target.checked)} />
        Show password
      </label>
    </>
  )
}
