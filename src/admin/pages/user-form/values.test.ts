import { describe, expect, it } from 'vitest'
import type { User } from '../../contract.ts'
import { blankValues, changesOf, losesPassword, mergedValues, newUserOf, valuesOfUser } from './values.ts'

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

describe('what a save sends of a user', () => {
  it('is nothing when nothing differs', () => {
    expect(changesOf(before, { ...before, tags: [...before.tags] })).toEqual({})
  })
  it('is each field that differs, and no other', () => {
    const now = { ...before, name: 'Ada L.', email: 'l@example.com', status: 0, tags: ['Admin'] } as const
    expect(changesOf(before, { ...now, tags: [...now.tags] })).toEqual({
      name: 'Ada L.',
      email: 'l@example.com',
      status: 0,
      tags: ['Admin'],
    })
  })
  it('is the role that differs without its neighbour', () => {
    expect(changesOf(before, { ...before, roles: { Admin: 2, Tools: 0 } })).toEqual({ roles: { Tools: 0 } })
  })
  it('is the providers that stay, when one goes', () => {
    expect(changesOf(before, { ...before, providers: [credentials] })).toEqual({ providers: [credentials] })
  })
  it('is null for a username that was emptied', () => {
    expect(changesOf(before, { ...before, credUsername: ' ' })).toEqual({ credUsername: null })
  })
  it('leaves the username to the server when it goes with the password', () => {
    const now = { ...before, credUsername: 'other', providers: [github] }
    expect(losesPassword(before, now)).toBe(true)
    expect(changesOf(before, now)).toEqual({ providers: [github] })
  })
})

it('takes over roles and providers that others changed beside those that are typed', () => {
  const discord = { providerId: '001_Discord', accountId: '7', accountUsername: 'ada' }
  const typed = { ...before, name: 'Mine', roles: { Admin: 1, Tools: 1 }, providers: [credentials] } as const
  const theirs = { ...before, email: 'new@example.com', roles: { Admin: 2, Tools: 2 } } as const
  const after = { ...theirs, providers: [discord, github, credentials] }
  expect(mergedValues({ ...typed, providers: [credentials] }, before, after)).toEqual({
    ...before,
    name: 'Mine',
    email: 'new@example.com',
    roles: { Admin: 1, Tools: 2 },
    providers: [discord, credentials],
  })
})
it('shows the tags in one order, and only those that can be chosen', () => {
  expect(valuesOfUser({ ...ada, tags: ['Moderator', 'Robot', 'Verified'] }).tags).toEqual(['Verified', 'Moderator'])
})
it('shows no username as an empty one', () => {
  expect(valuesOfUser({ ...ada, credUsername: null }).credUsername).toBe('')
})
it('makes a new user without a username when none was typed, and without providers', () => {
  expect(newUserOf({ ...blankValues, name: 'Ada', email: 'ada@example.com' })).toEqual({
    name: 'Ada',
    email: 'ada@example.com',
    credUsername: null,
    status: 2,
    tags: [],
    roles: { Admin: 0, Tools: 0 },
  })
})
