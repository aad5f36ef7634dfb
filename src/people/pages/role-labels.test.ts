import { expect, test } from 'vitest'
import { abilitiesOf, raiseQuestion } from './role-labels.ts'

test('what a user can do follows from the roles, and waits for the status', () => {
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

test('the question before a higher level of Admin names who, and what it means', () => {
  expect(raiseQuestion('Ada', 2)).toMatchObject({
    title: 'Make Ada an admin ?',
    description: expect.stringContaining('delete'),
  })
  expect(raiseQuestion('3 users', 1).title).toBe('Let 3 users see all users ?')
})
