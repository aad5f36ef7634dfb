import { expect, test } from 'vitest'
import { rowsOf } from './discord-markdown.tsx'

const field = (name: string, inline: boolean) => ({ name, inline })
const names = (...fields: ReturnType<typeof field>[]) => rowsOf(fields).map((row) => row.map(({ name }) => name))

test('inline fields stand three in a row, others alone', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => field(name, true)) as [never, never, never, never]
  expect(names(a, b, c, d)).toEqual([['a', 'b', 'c'], ['d']])
  expect(names(a, field('wide', false), b, c)).toEqual([['a'], ['wide'], ['b', 'c']])
  expect(names()).toEqual([])
})
