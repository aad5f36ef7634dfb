import { expect, test } from 'vitest'
import { findLockMistakes } from './lock-file.ts'

const locked = {
  'node_modules/tool': { version: '1.0.0', optionalDependencies: { 'tool-linux': '1.0.0', 'tool-mac': '1.0.0' } },
  'node_modules/tool-linux': { version: '1.0.0' },
  'node_modules/tool/node_modules/tool-mac': { version: '1.0.0' },
}

test('reports nothing for a complete lock file', () => {
  expect(findLockMistakes({ dependencies: { tool: '1.0.0' } }, { packages: locked })).toEqual([])
})

test('reports a platform package that is missing from the lock file', () => {
  const { 'node_modules/tool-linux': _, ...rest } = locked
  expect(findLockMistakes({}, { packages: rest })).toEqual([
    'node_modules/tool: its optional tool-linux is not in the lock file',
  ])
})

test('reports version ranges, and versions that differ from the lock file', () => {
  expect(findLockMistakes({ dependencies: { tool: '^1.0.0' } }, { packages: locked })).toHaveLength(2)
  expect(findLockMistakes({ devDependencies: { tool: '1.0.1' } }, { packages: locked })).toHaveLength(1)
})
