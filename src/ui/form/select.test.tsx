import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { SelectField } from './select.tsx'

test('a dropdown is one combobox from its first frame on, and its arrow a button', () => {
  const html = renderToString(<SelectField label="Status" options={[]} value={null} onChange={() => {}} />)
  expect(html.match(/role="\w+"/g)).toEqual(['role="group"', 'role="combobox"', 'role="button"'])
})
