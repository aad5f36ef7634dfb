import { expect, test } from 'vitest'
import { compare } from './compare.ts'

test('separates saved changes by others from unsaved edits, and conflicting changes from identical ones', () => {
  const before = { URL: 'a', Interval: '1', Owner: 'ada', Active: 'On' }
  const theirs = { URL: 'b', Interval: '2', Owner: 'bob', Active: 'On' }
  const mine = { URL: 'c', Interval: '2', Owner: 'bob', Active: 'Off' }
  expect(compare(before, theirs, mine)).toEqual({
    changes: [
      { label: 'URL', before: 'a', theirs: 'b', mine: 'c' },
      { label: 'Interval', before: '1', theirs: '2', mine: undefined },
      { label: 'Owner', before: 'ada', theirs: 'bob', mine: undefined },
    ],
    edited: ['URL', 'Active'],
  })
})
