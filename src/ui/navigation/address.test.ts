import { expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './address.ts'

it('keeps an id of digits the text it is', () => {
  expect(parseSearch('?id=0042&sort=-url')).toEqual({ id: '0042', sort: '-url' })
})
it('leaves out what is not set, and the question mark with it', () => {
  expect(stringifySearch({ id: undefined })).toBe('')
  expect(stringifySearch({ url: 'a b&c', page: undefined })).toBe('?url=a+b%26c')
})
