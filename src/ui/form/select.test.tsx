import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { SelectField } from './select.tsx'

test('a dropdown renders as one combobox from its first frame, with its arrow as a button', () => {
  const html = renderToString(<SelectField label="Status" options={[]} value={null} onChange={() => {}} />)
  expect(html.match(/role="\w+"/g)).toEqual(['role="group"', 'role="combobox"', 'role="button"'])
})
