import { expect, test } from 'vitest'
import { abilitiesOf, raiseQuestion } from './role-labels.ts'

test('abilities follow from the roles, and a blocked account is reported', () => {
  const none = { Admin: 0, Tools: 0 } as const
  expect(abilitiesOf({ status: 2, roles: none })).toEqual({
    blockedBy: undefined,
    can: ['Sign in, and edit their own profile'],
  })
  const { blockedBy, can } = abilitiesOf({ status: 0, roles: { Admin: 1, Tools: 2 } })
  expect(blockedBy).toBe('blocked')
  expect(can).toContain("See, edit, run and delete everyone's entries")
  expect(can).toContain('See all users with their roles, sign-in methods and last use')
  expect(can.join()).not.toContain('audit log')
})

test('the confirmation of a higher Admin level names the user and the consequences', () => {
  expect(raiseQuestion('Ada', 2)).toMatchObject({
    title: 'Make Ada an admin ?',
    description: expect.stringContaining('delete'),
  })
  expect(raiseQuestion('3 users', 1).title).toBe('Let 3 users see all users ?')
})
