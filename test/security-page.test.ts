import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, 'docs', name), 'utf8')
const asvs = read('asvs.md')

test('every test file named in the security docs exists', () => {
  const existing = new Set(
    globSync('{src,test}/**/*.{test,spec}.{ts,tsx}', { cwd: root }).map((path) => basename(path)),
  )
  const named = [...(read('security.md') + asvs).matchAll(/`([\w-]+\.(?:test|spec)\.tsx?)`/g)].map(
    ([, name]) => name ?? '',
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((name) => !existing.has(name))).toEqual([])
})

test('docs/asvs.md lists each of the 253 requirements of levels 1 and 2 once', () => {
  const numbers = [...asvs.matchAll(/^\| ((?:\d+\.\d+\.\d+(?:, )?)+) \|/gm)].flatMap(([, list = '']) =>
    list.split(', '),
  )
  expect([numbers.length, new Set(numbers).size]).toEqual([253, 253])
})
