import { expect, test } from 'vitest'
import { deleteConsequence, describeChange, statusConsequence } from './labels.ts'

const all = { users: 3, active: 2, admins: 1, entries: 12, sessions: 1 }
const nothing = { users: 1, active: 1, admins: 0, entries: 0, sessions: 0 }

test('the consequence of a status states who can sign in, and what ends or pauses', () => {
  expect(statusConsequence(0, all)).toBe(
    "3 users can't sign in while they are blocked, and 1 session ends now. 12 entries are paused.",
  )
  expect(statusConsequence(1, nothing)).toBe("1 user can't sign in while they are inactive.")
  expect(statusConsequence(2, all)).toBe('1 user can sign in again, and paused entries go on.')
  expect(statusConsequence(2, nothing)).toBe('All of them are active already.')
})

test('the consequence of a deletion lists what else is deleted', () => {
  expect(deleteConsequence(all)).toBe(
    'With them, 12 entries with all history and 1 session will be deleted. 1 of them is an admin.',
  )
  expect(deleteConsequence(nothing)).toBe('They have no entries.')
})

test('the toast states what was set', () => {
  expect(describeChange({ status: 0 })).toBe('set to Blocked')
  expect(describeChange({ roles: { Tools: 1, Admin: 0 } })).toBe('set to Tools 1, Admin 0')
  expect(describeChange({ addTags: ['Verified'] })).toBe('tagged')
  expect(describeChange({ removeTags: ['Moderator'] })).toBe('untagged')
  expect(describeChange({ addTags: ['Verified'], removeTags: ['Moderator'] })).toBe('retagged')
})
