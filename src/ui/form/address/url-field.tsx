import type { ComponentProps } from 'react'
import { TextField } from '../field.tsx'
import { withScheme } from './web-address.ts'

/** A field for a URL; a scheme that was left out is added when the field is left. */
export function UrlField({
  value,
  onText,
  ...props
}: Omit<ComponentProps<typeof TextField>, 'value' | 'onText'> & { value: string; onText: (text: string) => void }) {
  const complete = () => {
    const whole = withScheme(value)
    if (whole !== value) onText(whole)
  }
  return (
    <TextField type="url" code required spellCheck={false} {...props} value={value} onText={onText} onBlur={complete} />
  )
}
