import { expect, it } from 'vitest'
import { formatTime } from '../../ui/format-time.ts'
import type { AuditAction, Change } from '../audit/contract.ts'
import { changeText } from './changes.ts'

type Values = [field: string, from: Change['from'], to: Change['to']]
const textOf = (action: AuditAction, ...changes: Values[]) =>
  changeText({ action, changes: changes.map(([field, from, to]) => ({ field, from, to })) })

it('shows levels and statuses as labels, with an arrow from the old value to the new one', () => {
  const text = textOf('user.edit', ['roles.Tools', 0, 1], ['status', 2, 0])
  expect(text).toBe('Tools: No Access → Full Access; Status: Active → Blocked')
})

it('shows an added value without an arrow, and a removed one as none', () => {
  expect(textOf('user.edit', ['email', null, 'ada@example.com'])).toBe('Email: ada@example.com')
  expect(textOf('user.edit', ['credUsername', 'ada', null])).toBe('Username: ada → none')
})

it('shows only the old values of a deleted user', () => {
  expect(textOf('user.delete', ['name', 'Ada', null], ['entries', 3, null])).toBe('Name: Ada; Entries: 3')
})

it('shows a list by its members, and an empty one as none', () => {
  expect(textOf('user.edit', ['tags', ['Verified', 'Admin'], []])).toBe('Tags: Verified, Admin → none')
})

it('shows the expiry of a key as a time, or as never', () => {
  const at = Date.UTC(2027, 0, 1)
  expect(textOf('key.create', ['expiresAt', null, at])).toBe(`Expires: ${formatTime(at)}`)
  expect(textOf('key.create', ['expiresAt', null, null])).toBe('Expires: never')
})

it('shows how often and why a sign-in failed', () => {
  const text = textOf('session.fail', ['wrong', null, 5], ['limited', null, 1])
  expect(text).toBe('Wrong password: 5 times; Too many attempts: once')
})

it('shows that the last admin kept the role although the provider set a lower level', () => {
  const text = textOf('user.edit', ['lastAdmin', null, 0])
  expect(text).toBe('Last admin kept, although the provider says: No Access')
})

it('shows fields and values without a label unchanged', () => {
  expect(textOf('user.edit', ['seats', 3, 4])).toBe('seats: 3 → 4')
  expect(textOf('user.edit', ['status', 2, 7])).toBe('Status: Active → 7')
})

it('shows a dash if nothing changed', () => {
  expect(textOf('user.edit')).toBe('–')
})

it('shows accounts and passkeys by their display names, and only the old value of removed ones', () => {
  expect(textOf('provider.link', ['providers', null, '002_Github octo cat'])).toBe('Providers: GitHub octo cat')
  const lost = textOf('user.edit', ['providers', ['001_Discord ada', '003_Credentials ada'], []])
  expect(lost).toBe('Providers: Discord ada, Credentials ada → none')
  expect(textOf('provider.unlink', ['providers', '002_Github octo', null])).toBe('Providers: GitHub octo')
  expect(textOf('passkey.delete', ['passkey', 'Laptop', null])).toBe('Passkey: Laptop')
})

it('shows import counts and badge tags with their labels', () => {
  expect(textOf('data.import', ['created', null, 20], ['changed', null, 0])).toBe('Created: 20; Changed: 0')
  expect(textOf('badge.claim', ['tag', null, 'acme'])).toBe('Tag: acme')
})
