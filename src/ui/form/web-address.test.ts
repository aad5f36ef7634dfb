import { expect, test } from 'vitest'
import { withScheme } from './web-address.ts'

test.each([
  ['app.example.com', 'https://app.example.com'],
  [' app.example.com/health?a=b#c ', 'https://app.example.com/health?a=b#c'],
  ['app.example.com:8080/x', 'https://app.example.com:8080/x'],
  ['//app.example.com', 'https://app.example.com'],
  ['localhost:3000', 'https://localhost:3000'],
  ['bücher.example', 'https://bücher.example'],
  ['203.0.113.7', 'https://203.0.113.7'],
])('%j gets the missing scheme', (typed, whole) => {
  expect(withScheme(typed)).toBe(whole)
})

test.each([
  'http://app.example.com',
  'HTTPS://app.example.com',
  'ftp://app.example.com',
  'mailto:eve@example.com',
  'eve@example.com',
  'nonsense',
  'two words.example',
  '',
])('%j stays unchanged', (typed) => {
  expect(withScheme(typed)).toBe(typed)
})
