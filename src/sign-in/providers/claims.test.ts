import { expect, test } from 'vitest'
import { claimOf, identityOf, isIncomplete, rolesOf } from './openid.ts'

const issuer = 'https://id.example.com'
const identity = (idToken: object, userInfo: object = {}) => identityOf('s1', issuer, { ...idToken }, { ...userInfo })

test('an account is identified by its issuer and subject', () => {
  expect(identity({ preferred_username: 'ada', name: 'Ada L.' })).toEqual({
    accountId: 'https://id.example.com#s1',
    username: 'ada',
    name: 'Ada L.',
    email: undefined,
  })
})

test('an email is verified only by true or "true", from the same source as the email', () => {
  const email = 'ada@example.com'
  const verified = (idToken: object, userInfo?: object) => identity(idToken, userInfo).email?.verified
  for (const email_verified of [true, 'true']) expect(verified({ email, email_verified })).toBe(true)
  for (const email_verified of [false, 'false', 'TRUE', ['true'], 1, '1', null, undefined])
    expect(verified({ email, email_verified })).toBe(false)
  expect(verified({ email }, { email, email_verified: true })).toBe(true)
  expect(verified({ email, email_verified: false }, { email, email_verified: true })).toBe(false)
  const other = identity({ email_verified: true }, { email: 'eve@example.com' })
  expect(other.email).toEqual({ address: 'eve@example.com', verified: false })
  expect(identity({ email: 7 }).email).toBeUndefined()
})

test('a name that cannot be stored is replaced by the next best one', () => {
  expect(identity({ preferred_username: ' ', nickname: 'al' })).toMatchObject({ username: 'al', name: 'al' })
  expect(identity({ preferred_username: 'x'.repeat(101), email: 'a@b.de' })).toMatchObject({ username: 'a@b.de' })
  expect(identity({ preferred_username: 'al', name: '\u200b' })).toMatchObject({ name: 'al' })
  expect(identity({ name: 7 })).toMatchObject({ username: 's1', name: 's1' })
  expect(identityOf('s'.repeat(255), issuer, {}).username).toHaveLength(100)
})

test('an ID token is incomplete if it lacks a claim that the userinfo endpoint may have', () => {
  const full = { email: 'a@b.de', email_verified: true, name: 'A', preferred_username: 'a' }
  expect(isIncomplete(full, undefined)).toBe(false)
  expect(isIncomplete(full, 'groups')).toBe(true)
  expect(isIncomplete({ ...full, groups: [] }, 'groups')).toBe(false)
  for (const name of Object.keys(full)) expect(isIncomplete({ ...full, [name]: undefined }, undefined), name).toBe(true)
})

test('a claim is found by its name or by a path', () => {
  const claims = { 'https://x.de/roles': ['a'], realm_access: { roles: ['b'] }, text: 'c' }
  expect(claimOf(claims, 'https://x.de/roles')).toEqual(['a'])
  expect(claimOf(claims, 'realm_access.roles')).toEqual(['b'])
  for (const name of ['roles', 'realm_access.none', 'text.length', 'toString', 'realm_access.toString'])
    expect(claimOf(claims, name), name).toBeUndefined()
})

test('the highest level in a claim counts, unknown values count as none, and other types are reported as odd', () => {
  expect(rolesOf('toolbox:tools')).toEqual({ Admin: 0, Tools: 1 })
  expect(rolesOf('toolbox:admin:read toolbox:tools')).toEqual({ Admin: 1, Tools: 1 })
  expect(rolesOf(['toolbox:tools:all', 'toolbox:tools', 'toolbox:admin', 'staff'])).toEqual({ Admin: 2, Tools: 2 })
  for (const none of [[], '', ['staff'], ['TOOLBOX:ADMIN'], 'toolbox:administrator', ['toString']])
    expect(rolesOf(none), JSON.stringify(none)).toEqual({ Admin: 0, Tools: 0 })
  for (const odd of [7, true, {}, ['toolbox:admin', 7]]) expect(rolesOf(odd), JSON.stringify(odd)).toBe('odd')
})
