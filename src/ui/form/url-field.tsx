import type { ComponentProps } from 'react'
import { TextField } from './field.tsx'
import { withScheme } from './web-address.ts'

/** A field for a URL; a missing scheme is added when the field loses the focus. */
export function UrlField({
  value,
  onChange,
  ...props
}: Omit<ComponentProps<typeof TextField>, 'value' | 'onChange'> & { value: string; onChange: (text: string) => void }) {
  const complete = () => {
    const url = withScheme(value)
    if (url !== value) onChange(url)
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
