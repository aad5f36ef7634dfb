import type { ComponentProps } from 'react'
import { TextField } from '../../../ui/form/field.tsx'

type Props = Omit<ComponentProps<typeof TextField>, 'hint' | 'autoComplete'>

/** A new password; `also` is an additional hint. */
export const NewPasswordField = ({ also, ...rest }: Props & { also?: string }) => (
  <TextField
    type="password"
    autoComplete="new-password"
    hint={['At least 12 characters.', also].join(' ').trim()}
    {...rest}
  />
)
