import { expect, test } from 'vitest'
import type { Outcome } from '../../ui/table/selection/batches.ts'
import { bulkOutcomeNote, namesOf, pluralize } from './bulk-labels.ts'

const ids = (count: number) => Array.from({ length: count }, (_, at) => `id-${at}`)
const refused = (count: number, why: string) => ids(count).map((id) => ({ id, why }))

test('counts the entries that succeeded, and those refused with the reason', () => {
  expect(bulkOutcomeNote({ act: 'pause' }, { done: ids(12), refused: [] })).toEqual({
    kind: 'success',
    message: '12 paused.',
  })
  expect(bulkOutcomeNote({ act: 'pause' }, { done: ids(12), refused: refused(1, 'Entry not found.') })).toEqual({
    kind: 'warning',
    message: '12 paused, 1 refused: Entry not found.',
  })
  expect(bulkOutcomeNote({ act: 'give', owner: 'eve@example.com' }, { done: ids(1), refused: [] }).message).toBe(
    '1 given to eve@example.com.',
  )
})

test('names the entry if it was the only one and has changed', () => {
  const entries = [{ id: 'id-0', name: 'Shop', about: 'shop.example' }]
  const note = (answer: Partial<Outcome>) =>
    bulkOutcomeNote({ act: 'pause' }, { done: ids(1), refused: [], ...answer }, entries).message
  expect([note({}), note({ unchanged: ids(1) })]).toEqual(['Shop paused.', '0 paused, 1 already paused.'])
  expect(note({ done: [], refused: refused(1, 'Entry not found.') })).toBe('0 paused, 1 refused: Entry not found.')
  expect(bulkOutcomeNote({ act: 'run' }, { done: ids(1), refused: [], progress: '7' }, entries).message).toBe(
    'Shop queued to run.',
  )
})

test('lists several reasons, the most frequent first', () => {
  const answer = { done: [], refused: [...refused(1, 'Entry not found.'), ...refused(1_200, 'Too many runs.')] }
  expect(bulkOutcomeNote({ act: 'run' }, answer)).toEqual({
    kind: 'danger',
    message: '0 started, 1,201 refused:',
    lines: ['1200 × Too many runs.', '1 × Entry not found.'],
  })
})

test('counts unchanged entries apart from changed ones', () => {
  const answer = { done: ids(3), unchanged: ids(2), refused: [] }
  expect(bulkOutcomeNote({ act: 'pause' }, answer).message).toBe('1 paused, 2 already paused.')
  expect(bulkOutcomeNote({ act: 'pause' }, { ...answer, refused: refused(1, 'Entry not found.') }).message).toBe(
    '1 paused, 2 already paused, 1 refused: Entry not found.',
  )
})

test('names the first known entries and counts the rest', () => {
  const entries = ids(7).map((id, at) => ({ id, name: at === 1 ? null : id.toUpperCase(), about: 'shop.example' }))
  const names = (count: number, knownEntries = entries) => namesOf(ids(count), knownEntries)
  expect([names(1), names(2)]).toEqual(['ID-0', 'ID-0, shop.example'])
  expect(names(1_007)).toBe('ID-0, shop.example, ID-2, ID-3, ID-4 and 1,002 more')
  expect([names(3, []), names(3, entries.slice(2))]).toEqual(['', 'ID-2 and 2 more'])
})

test('puts the noun in the singular or plural', () => {
  expect([pluralize(1, 'keep-alive entry'), pluralize(1_000, 'keep-alive entry')]).toEqual([
    '1 keep-alive entry',
    '1,000 keep-alive entries',
  ])
})
