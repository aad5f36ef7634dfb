import type { ComponentProps } from 'react'
import { TextField } from '../../../ui/form/field.tsx'

type Props = Omit<ComponentProps<typeof TextField>, 'hint' | 'autoComplete'>

/** A password that somebody chooses; `also` is what else to know of it. */
export const NewPasswordField = ({ also, ...rest }: Props & { also?: string }) => (
  <TextField
    type="password"
    autoComplete="new-password"
    hint={['At least 12 characters.', also].join(' ').trim()}
    {...rest}
  />
)
