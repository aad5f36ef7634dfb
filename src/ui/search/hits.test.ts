import { expect, test } from 'vitest'
import { type Hit, matchingPages, splitAtMatch } from './hits.ts'

test('splits a text around the typed part, ignoring case', () => {
  expect(splitAtMatch('Billing API', ' api ')).toEqual(['Billing ', 'API', ''])
  expect(splitAtMatch('Billing API', 'shop')).toBeUndefined()
  expect(splitAtMatch('Billing API', ' ')).toBeUndefined()
})

test('finds a page by words in any order', () => {
  const pages: Hit[] = ['Keep Alive', 'Keep Alive: Create'].map((label) => ({ key: label, label, to: '/' }))
  const found = (typed: string) => matchingPages(pages, typed).map(({ label }) => label)
  expect(found('create keep')).toEqual(['Keep Alive: Create'])
  expect(found('')).toHaveLength(2)
  expect(found('nothing')).toEqual([])
})
