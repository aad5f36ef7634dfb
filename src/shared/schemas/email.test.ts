import { expect, test } from 'vitest'
import { canonicalEmail } from './email.ts'

test.each([
  ['Ada@Example.com', 'ada@example.com'],
  ['user@example.xn--p1ai', 'user@example.xn--p1ai'],
  ['user@xn--e1afmkfd.xn--p1ai', 'user@xn--e1afmkfd.xn--p1ai'],
  ['user@пример.рф', 'user@xn--e1afmkfd.xn--p1ai'],
  ['User@ПРИМЕР.рф', 'user@xn--e1afmkfd.xn--p1ai'],
  ['user@example.xn--fiqs8s', 'user@example.xn--fiqs8s'],
  ['user@bücher。example', 'user@xn--bcher-kva.example'],
  ['R&D@a.example', 'r&d@a.example'],
  ['a/b@a.example', 'a/b@a.example'],
  ['a=b@a.example', 'a=b@a.example'],
  ["o'@a.example", "o'@a.example"],
  ["!#$%&'*+/=?^_`{|}~-@a.example", "!#$%&'*+/=?^_`{|}~-@a.example"],
])('normalizes %s to %s, which then stays the same', (typed, email) => {
  expect(canonicalEmail(typed)).toBe(email)
  expect(canonicalEmail(email)).toBe(email)
})

test.each([
  '',
  'ada',
  'ab.cde',
  '@example.com',
  'ada@',
  'ada@localhost',
  'ada@127.0.0.1',
  'ada@[127.0.0.1]',
  'ada@１２７.１',
  'a@b@example.com',
  '.ada@example.com',
  'ada.@example.com',
  'a..da@example.com',
  'a da@example.com',
  '"a da"@example.com',
  'ada(x)@example.com',
  'ada@exam ple.com',
  'ada@example.com/x',
  'ada@пример.рф/x',
  'ada@пример.рф:80',
  'ada@example..com',
  'ada@xn--\u00ad.com',
  // Letters that normalize to others, and letters for which mail servers need an extension.
  '\u212Aim@example.com',
  'kim@\u212Aexample.com',
  'kate@e\u017Fample.com',
  'büro@example.com',
  'ada@example.com\n',
])('rejects %j', (typed) => {
  expect(canonicalEmail(typed)).toBeUndefined()
})
