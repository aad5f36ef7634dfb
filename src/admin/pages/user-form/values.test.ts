import { describe, expect, it } from 'vitest'
import type { User } from '../../contract.ts'
import { blankValues, changesOf, losesPassword, mergeUserValues, newUserOf, valuesOfUser } from './values.ts'

const github = { providerId: '002_Github', accountId: '42', accountUsername: 'ada' }
const credentials = { providerId: '003_Credentials', accountId: 'u1', accountUsername: 'ada' }
const ada: User = {
  id: 'u1',
  name: 'Ada',
  email: 'ada@example.com',
  emailVerified: true,
  status: 2,
  tags: ['Moderator', 'Verified'],
  roles: { Admin: 2, Tools: 1 },
  credUsername: 'ada',
  providers: [github, credentials],
  secondFactor: false,
  passkeys: 0,
  apiKeys: [],
  entries: 3,
  sessions: 0,
  providerIds: ['002_Github', '003_Credentials'],
  waiting: false,
  lastUsageTimestamp: null,
  lastSignInAt: null,
  logInCount: 7,
  createdAt: 1,
  updatedAt: 2,
  changedBy: null,
  changedById: null,
  changedAt: 2,
}
const before = valuesOfUser(ada)

describe('the patch that saving a user sends', () => {
  it('is empty when nothing changed', () => {
    expect(changesOf(before, { ...before, tags: [...before.tags] })).toEqual({})
  })
  it('contains each changed field and no other', () => {
    const now = { ...before, name: 'Ada L.', email: 'l@example.com', status: 0, tags: ['Admin'] } as const
    expect(changesOf(before, { ...now, tags: [...now.tags] })).toEqual({
      name: 'Ada L.',
      email: 'l@example.com',
      status: 0,
      tags: ['Admin'],
    })
  })
  it('contains a changed role without the other one', () => {
    expect(changesOf(before, { ...before, roles: { Admin: 2, Tools: 0 } })).toEqual({ roles: { Tools: 0 } })
  })
  it('contains the remaining providers when one is removed', () => {
    expect(changesOf(before, { ...before, providers: [credentials] })).toEqual({ providers: [credentials] })
  })
  it('contains null for a cleared username', () => {
    expect(changesOf(before, { ...before, credUsername: ' ' })).toEqual({ credUsername: null })
  })
  it('omits the username when removing the password removes it too', () => {
    const now = { ...before, credUsername: 'other', providers: [github] }
    expect(losesPassword(before, now)).toBe(true)
    expect(changesOf(before, now)).toEqual({ providers: [github] })
  })
})

it('merges roles and providers changed by another admin with those edited here', () => {
  const discord = { providerId: '001_Discord', accountId: '7', accountUsername: 'ada' }
  const typed = { ...before, name: 'Mine', roles: { Admin: 1, Tools: 1 }, providers: [credentials] } as const
  const theirs = { ...before, email: 'new@example.com', roles: { Admin: 2, Tools: 2 } } as const
  const after = { ...theirs, providers: [discord, github, credentials] }
  expect(mergeUserValues({ ...typed, providers: [credentials] }, before, after)).toEqual({
    ...before,
    name: 'Mine',
    email: 'new@example.com',
    roles: { Admin: 1, Tools: 2 },
    providers: [discord, credentials],
  })
})
it('shows tags in a fixed order, and only those that can be chosen', () => {
  expect(valuesOfUser({ ...ada, tags: ['Moderator', 'Robot', 'Verified'] }).tags).toEqual(['Verified', 'Moderator'])
})
it('shows a missing username as empty text', () => {
  expect(valuesOfUser({ ...ada, credUsername: null }).credUsername).toBe('')
})
it('creates a user with a null username when the field is empty, and without providers', () => {
  expect(newUserOf({ ...blankValues, name: 'Ada', email: 'ada@example.com' })).toEqual({
    name: 'Ada',
    email: 'ada@example.com',
    credUsername: null,
    status: 2,
    tags: [],
    roles: { Admin: 0, Tools: 0 },
  })
})
