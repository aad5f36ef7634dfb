import type { ComponentProps } from 'react'
import { TextField } from './field.tsx'
import { withScheme } from './web-address.ts'

/** A field for a URL; a scheme that was left out is added when the field is left. */
export function UrlField({
  value,
  onChange,
  ...props
}: Omit<ComponentProps<typeof TextField>, 'value' | 'onChange'> & { value: string; onChange: (text: string) => void }) {
  const complete = () => {
    const whole = withScheme(value)
    if (whole !== value) onChange(whole)
  }
  return (
    <TextField
      type="url"
      code
      required
      spellCheck={false}
      {...props}
      value={value}
      onChange={onChange}
      onBlur={complete}
    />
  )
}
