import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/security.md'), 'utf8')

test('every test that docs/security.md names is there', () => {
  const there = new Set(globSync('{src,test}/**/*.{test,spec}.{ts,tsx}', { cwd: root }).map((path) => basename(path)))
  const named = [...page.matchAll(/`([\w-]+\.(?:test|spec)\.tsx?)`/g)].map(([, name]) => name ?? '')
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((name) => !there.has(name))).toEqual([])
})

test('it judges each of the 253 requirements of levels 1 and 2 once', () => {
  const rows = [...page.matchAll(/^\| ((?:\d+\.\d+\.\d+(?:, )?)+) \| (.*?) \|/gm)]
  const numbers = rows.flatMap(([, list = '']) => list.split(', '))
  expect([numbers.length, new Set(numbers).size]).toEqual([253, 253])
  expect(new Set(rows.map(([, , verdict]) => verdict))).toEqual(new Set(['met', 'not met', 'operator', 'n/a']))
})
