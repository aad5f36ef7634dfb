import { expect, test } from 'vitest'
import { isComposing, isShortcut, unmodifiedKey } from './keys.ts'

const press = (key: string, code: string, held: readonly string[] = ['ctrlKey'], altGraph = false) => ({
  key,
  code,
  ctrlKey: held.includes('ctrlKey'),
  metaKey: held.includes('metaKey'),
  altKey: held.includes('altKey'),
  shiftKey: held.includes('shiftKey'),
  getModifierState: () => altGraph,
})

test.each([
  ['QWERTY', press('s', 'KeyS'), true],
  ['caps lock', press('S', 'KeyS'), true],
  ['a Mac', press('s', 'KeyS', ['metaKey']), true],
  ['Dvorak, where another key types s', press('s', 'Semicolon'), true],
  ['Dvorak, where the key of s types o', press('o', 'KeyS'), false],
  ['Russian', press('ы', 'KeyS'), true],
  ['Greek', press('σ', 'KeyS'), true],
  ['Hebrew', press('ד', 'KeyS'), true],
  ['Arabic', press('س', 'KeyS'), true],
  ['an input method', press('Process', 'KeyS'), true],
  ['Russian, another key', press('ф', 'KeyA'), false],
  ['without Ctrl', press('s', 'KeyS', []), false],
  ['with Shift, which browsers reserve', press('S', 'KeyS', ['ctrlKey', 'shiftKey']), false],
  ['Polish on Windows, where Ctrl+Alt types a letter', press('ś', 'KeyS', ['ctrlKey', 'altKey']), false],
  ['AltGr with Ctrl', press('ś', 'KeyS', ['ctrlKey'], true), false],
])('Ctrl+S: %s', (_layout, event, isSave) => {
  expect(isShortcut(event, 's')).toBe(isSave)
})

test.each([
  ['a letter', press('j', 'KeyJ', []), 'j'],
  ['caps lock', press('J', 'KeyJ', []), 'j'],
  ['Dvorak, where another key types j', press('j', 'KeyC', []), 'j'],
  ['Russian', press('о', 'KeyJ', []), 'j'],
  ['a French digit', press('&', 'Digit1', []), '1'],
  ['a German slash', press('/', 'Digit7', ['shiftKey']), '/'],
  ['a question mark', press('?', 'Slash', ['shiftKey']), '?'],
  ['with Shift', press('J', 'KeyJ', ['shiftKey']), undefined],
  ['with Ctrl', press('j', 'KeyJ'), undefined],
  ['with Command', press('j', 'KeyJ', ['metaKey']), undefined],
  ['with Alt', press('j', 'KeyJ', ['altKey']), undefined],
  ['with AltGr, which types a backslash on German keyboards', press('\\', 'Minus', [], true), undefined],
])('a key without modifiers: %s', (_layout, event, key) => {
  expect(unmodifiedKey(event)).toBe(key)
})

test('a keydown event without a key, as sent by browser autofill, is not a shortcut', () => {
  expect(isShortcut(new Event('keydown') as never, 's')).toBe(false)
})

test('the Enter that ends a composition belongs to the input method, also in Safari', () => {
  expect(isComposing({ isComposing: true, keyCode: 13 })).toBe(true)
  expect(isComposing({ isComposing: false, keyCode: 229 })).toBe(true)
  expect(isComposing({ isComposing: false, keyCode: 13 })).toBe(false)
})
