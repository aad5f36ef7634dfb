import { expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './address.ts'

it('keeps an id of digits as text', () => {
  expect(parseSearch('?id=0042&sort=-url')).toEqual({ id: '0042', sort: '-url' })
})
it('omits undefined parameters, and the question mark if none are left', () => {
  expect(stringifySearch({ id: undefined })).toBe('')
  expect(stringifySearch({ url: 'a b&c', page: undefined })).toBe('?url=a+b%26c')
})
