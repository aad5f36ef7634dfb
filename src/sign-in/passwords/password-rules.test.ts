import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { passwordProblem } from './password-rules.ts'

const ada = { name: 'Ada Lovelace-Byron', email: 'countess.of.lovelace@example.com', username: 'enchantress.ada' }

test.each([
  'correct horse battery',
  'Zw9#kkPq1!tR',
  'ünïcödé påsswörds',
  '🦄🐝🌵🎈🚀🍋🧊🪁🎻🗿🥨🛶',
  'we met at the blue pier',
])('accepts %s', (password) => {
  expect(passwordProblem(password, ada)).toBeUndefined()
})

test('counts characters, not code units', () => {
  expect(passwordProblem('🦄🐝🌵🎈🚀🍋🧊🪁🎻🗿🥨', ada)).toBe('Use at least 12 characters.')
  expect(passwordProblem('🦄🐝🌵🎈🚀🍋🧊🪁'.repeat(16), { ...ada })).not.toBe('Use at most 128 characters.')
  expect(passwordProblem(`${'x7 '.repeat(43)}`, ada)).toBe('Use at most 128 characters.')
})

test.each([
  'password1234',
  'Password123!',
  'P@ssw0rd1234',
  'PASSWORDPASSWORD',
  'qwertyuiop123',
  '1q2w3e4r5t6y',
  '123456789012',
  'abcdefghijkl',
  'zyxwvutsrqpo',
  'aaaaaaaaaaaa',
  'abcabcabcabca',
  'iloveyou12345',
  'Administrator2026!',
  'letmein123456',
  'correct horse battery staple',
])('refuses %s as common', (password) => {
  expect(passwordProblem(password, ada)).toContain('too common')
})

test('refuses each of the 3,000 most common passwords that are long enough', () => {
  const list = readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const most = list.slice(0, 3_000)
  expect(most.slice(0, 3)).toEqual(['123qweasdzxc', '1qaz2wsx3edc', 'q1w2e3r4t5y6'])
  expect(new Set(list).size).toBe(list.length)
  expect(list.length).toBeGreaterThanOrEqual(3_000)
  expect(list.filter((password) => password.length < 12)).toEqual([])
  expect(list.filter((password) => !passwordProblem(password.toUpperCase(), ada)?.includes('too common'))).toEqual([])
})

test('refuses a short name that is repeated', () => {
  const person = { name: 'ada', email: 'ada@example.com', username: 'ada' }
  expect(passwordProblem('adaadaadaada', person)).toContain('too common')
})

test.each(['ada lovelace-byron', 'Enchantress.Ada'])('refuses the user’s name %s', (password) => {
  expect(passwordProblem(password, ada)).toContain('your name')
})

test.each(['Countess.of.Lovelace@example.com', 'COUNTESS.OF.LOVELACE'])('refuses the user’s email %s', (password) => {
  expect(passwordProblem(password, ada)).toContain('email')
})
