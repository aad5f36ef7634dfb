import { expect, it } from 'vitest'
import { changeText } from './changes.ts'

it('tells levels and statuses in words, each change from what to what', () => {
  const changes = [
    { field: 'roles.Tools', from: 0, to: 1 },
    { field: 'status', from: 2, to: 0 },
  ]
  expect(changeText(changes)).toBe('Tools: No Access → Full Access; Status: Active → Blocked')
})

it('tells what was not there before without an arrow, and what is gone as none', () => {
  expect(changeText([{ field: 'email', from: null, to: 'ada@example.com' }])).toBe('Email: ada@example.com')
  expect(changeText([{ field: 'credUsername', from: 'ada', to: null }])).toBe('Username: ada → none')
})

it('tells lists by their members, and an empty one as none', () => {
  expect(changeText([{ field: 'tags', from: ['Verified', 'Admin'], to: [] }])).toBe('Tags: Verified, Admin → none')
})

it('keeps a field and a value it has no word for', () => {
  expect(changeText([{ field: 'seats', from: 3, to: 4 }])).toBe('seats: 3 → 4')
  expect(changeText([{ field: 'status', from: 2, to: 7 }])).toBe('Status: Active → 7')
})

it('shows a dash where nothing changed', () => {
  expect(changeText([])).toBe('–')
})
