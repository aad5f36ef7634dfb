import { expect, test } from 'vitest'
import { examples } from '../event/examples/examples.ts'
import { exampleName } from './delivery-labels.ts'

test('every example has a name in plain words, and no two have the same', () => {
  const shown = examples.map(({ name }) => exampleName(name))
  for (const name of shown) expect(name).toMatch(/^[A-Z]/)
  expect(new Set(shown).size).toBe(examples.length)
})

test('an example without one is called as the server calls it', () => {
  expect(exampleName('space-moved')).toBe('space moved')
})
