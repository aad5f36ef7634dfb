import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePasswordsCheap, restorePasswordCost } from '../../../test/support/cheap-passwords.ts'
import { hashPassword, verifyPassword } from './password.ts'

beforeAll(restorePasswordCost)
afterAll(makePasswordsCheap)

test('a password is stored as a salted scrypt hash of 128 MiB that verifies it and no other', async () => {
  const [hash, otherHash] = await Promise.all([
    hashPassword('seven green teapots'),
    hashPassword('seven green teapots'),
  ])
  expect(hash).toMatch(/^scrypt\$17\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
  expect(otherHash).not.toBe(hash)
  expect(await verifyPassword({ hash, password: 'seven green teapots' })).toBe(true)
  expect(await verifyPassword({ hash, password: 'seven green teapot' })).toBe(false)
})
