import { expect, it } from 'vitest'
import { formatTime } from '../../ui/format-time.ts'
import type { AuditAction, Change } from '../audit/contract.ts'
import { changeText } from './changes.ts'

const textOf = (changes: Change[], action: AuditAction = 'user.edit') => changeText({ action, changes })

it('shows levels and statuses as labels, with an arrow from the old value to the new one', () => {
  const changes = [
    { field: 'roles.Tools', from: 0, to: 1 },
    { field: 'status', from: 2, to: 0 },
  ]
  expect(textOf(changes)).toBe('Tools: No Access → Full Access; Status: Active → Blocked')
})

it('shows an added value without an arrow, and a removed one as none', () => {
  expect(textOf([{ field: 'email', from: null, to: 'ada@example.com' }])).toBe('Email: ada@example.com')
  expect(textOf([{ field: 'credUsername', from: 'ada', to: null }])).toBe('Username: ada → none')
})

it('shows only the old values of a deleted user', () => {
  const changes = [
    { field: 'name', from: 'Ada', to: null },
    { field: 'entries', from: 3, to: null },
  ]
  expect(textOf(changes, 'user.delete')).toBe('Name: Ada; Entries: 3')
})

it('shows a list by its members, and an empty one as none', () => {
  expect(textOf([{ field: 'tags', from: ['Verified', 'Admin'], to: [] }])).toBe('Tags: Verified, Admin → none')
})

it('shows the expiry of a key as a time, or as never', () => {
  const at = Date.UTC(2027, 0, 1)
  expect(textOf([{ field: 'expiresAt', from: null, to: at }], 'key.create')).toBe(`Expires: ${formatTime(at)}`)
  expect(textOf([{ field: 'expiresAt', from: null, to: null }], 'key.create')).toBe('Expires: never')
})

it('shows how often and why a sign-in failed', () => {
  const changes = [
    { field: 'wrong', from: null, to: 5 },
    { field: 'limited', from: null, to: 1 },
  ]
  expect(textOf(changes, 'session.fail')).toBe('Wrong password: 5 times; Too many attempts: once')
})

it('shows that the last admin kept the role although the provider set a lower level', () => {
  expect(textOf([{ field: 'lastAdmin', from: null, to: 0 }])).toBe(
    'Last admin kept, although the provider says: No Access',
  )
})

it('shows fields and values without a label unchanged', () => {
  expect(textOf([{ field: 'seats', from: 3, to: 4 }])).toBe('seats: 3 → 4')
  expect(textOf([{ field: 'status', from: 2, to: 7 }])).toBe('Status: Active → 7')
})

it('shows a dash if nothing changed', () => {
  expect(textOf([])).toBe('–')
})

it('shows accounts and passkeys by their display names, and only the old value of removed ones', () => {
  expect(textOf([{ field: 'providers', from: null, to: '002_Github octo cat' }], 'provider.link')).toBe(
    'Providers: GitHub octo cat',
  )
  expect(textOf([{ field: 'providers', from: ['001_Discord ada', '003_Credentials ada'], to: [] }])).toBe(
    'Providers: Discord ada, Credentials ada → none',
  )
  expect(textOf([{ field: 'providers', from: '002_Github octo', to: null }], 'provider.unlink')).toBe(
    'Providers: GitHub octo',
  )
  expect(textOf([{ field: 'passkey', from: 'Laptop', to: null }], 'passkey.delete')).toBe('Passkey: Laptop')
})

it('shows import counts and badge tags with their labels', () => {
  const imported = [
    { field: 'created', from: null, to: 20 },
    { field: 'changed', from: null, to: 0 },
  ]
  expect(textOf(imported, 'data.import')).toBe('Created: 20; Changed: 0')
  expect(textOf([{ field: 'tag', from: null, to: 'acme' }], 'badge.claim')).toBe('Tag: acme')
})
