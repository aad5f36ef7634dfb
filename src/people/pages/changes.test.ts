import { expect, it } from 'vitest'
import { formatTime } from '../../ui/format-time.ts'
import type { AuditAction, Change } from '../audit/contract.ts'
import { changeText } from './changes.ts'

const told = (changes: Change[], action: AuditAction = 'user.edit') => changeText({ action, changes })

it('tells levels and statuses in words, each change from what to what', () => {
  const changes = [
    { field: 'roles.Tools', from: 0, to: 1 },
    { field: 'status', from: 2, to: 0 },
  ]
  expect(told(changes)).toBe('Tools: No Access → Full Access; Status: Active → Blocked')
})

it('tells what was not there before without an arrow, and what is gone as none', () => {
  expect(told([{ field: 'email', from: null, to: 'ada@example.com' }])).toBe('Email: ada@example.com')
  expect(told([{ field: 'credUsername', from: 'ada', to: null }])).toBe('Username: ada → none')
})

it('tells what a deleted user was', () => {
  const changes = [
    { field: 'name', from: 'Ada', to: null },
    { field: 'entries', from: 3, to: null },
  ]
  expect(told(changes, 'user.delete')).toBe('Name: Ada; Entries: 3')
})

it('tells lists by their members, and an empty one as none', () => {
  expect(told([{ field: 'tags', from: ['Verified', 'Admin'], to: [] }])).toBe('Tags: Verified, Admin → none')
})

it('tells when a key expires as a time, or never', () => {
  const at = Date.UTC(2027, 0, 1)
  expect(told([{ field: 'expiresAt', from: null, to: at }], 'key.create')).toBe(`Expires: ${formatTime(at)}`)
  expect(told([{ field: 'expiresAt', from: null, to: null }], 'key.create')).toBe('Expires: never')
})

it('tells how often a sign-in failed, and why', () => {
  const changes = [
    { field: 'wrong', from: null, to: 5 },
    { field: 'limited', from: null, to: 1 },
  ]
  expect(told(changes, 'session.fail')).toBe('Wrong password: 5 times; Too many attempts: once')
})

it('says that the last admin stayed one', () => {
  expect(told([{ field: 'lastAdmin', from: null, to: 0 }])).toBe(
    'Last admin kept, although the provider says: No Access',
  )
})

it('keeps a field and a value it has no word for', () => {
  expect(told([{ field: 'seats', from: 3, to: 4 }])).toBe('seats: 3 → 4')
  expect(told([{ field: 'status', from: 2, to: 7 }])).toBe('Status: Active → 7')
})

it('shows a dash where nothing changed', () => {
  expect(told([])).toBe('–')
})

it('names accounts and passkeys as screens do, and of those that are gone what they were', () => {
  expect(told([{ field: 'providers', from: null, to: '002_Github octo cat' }], 'provider.link')).toBe(
    'Providers: GitHub octo cat',
  )
  expect(told([{ field: 'providers', from: ['001_Discord ada', '003_Credentials ada'], to: [] }])).toBe(
    'Providers: Discord ada, Credentials ada → none',
  )
  expect(told([{ field: 'providers', from: '002_Github octo', to: null }], 'provider.unlink')).toBe(
    'Providers: GitHub octo',
  )
  expect(told([{ field: 'passkey', from: 'Laptop', to: null }], 'passkey.delete')).toBe('Passkey: Laptop')
})

it('says what was imported, and what became of a tag, by labels as any other', () => {
  const imported = [
    { field: 'created', from: null, to: 20 },
    { field: 'changed', from: null, to: 0 },
  ]
  expect(told(imported, 'data.import')).toBe('Created: 20; Changed: 0')
  expect(told([{ field: 'tag', from: null, to: 'acme' }], 'badge.claim')).toBe('Tag: acme')
})
