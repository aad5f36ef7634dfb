import { expect, test } from 'vitest'
import { toolbox } from '../../../test/support/toolbox.ts'
import { comparer } from './compare.ts'
import { maxStored } from './copy.ts'

const png = (text: string) => {
  const head = [...Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 0, 0, 0, 1, 0, 0, 0, 1]
  return Buffer.concat([Buffer.from(head), Buffer.from(text), Buffer.alloc(100_000)])
}

test('compares every image of a large page, but keeps only a limited amount of pictures in memory', async () => {
  const box = await toolbox('sqlite')
  const request = async (url: string) => ({
    ...{ answered: true as const, status: 200, url, duration: 0 },
    headers: { 'content-type': 'image/png', age: '0', 'x-cache': 'x'.repeat(100_000), 'x-more': 'x'.repeat(100_000) },
    body: png(url.endsWith('same') ? 'same' : url),
  })
  const context = { ...box.context, outbound: { ...box.context.outbound, request } }
  const { compare } = comparer(context, { visitor: { ownerId: 'ada' }, until: Number.POSITIVE_INFINITY })
  const image = (name: string) => ({ camo: `http://camo.example/${name}`, origin: `http://img.example/${name}` })
  const comparisons = []
  for (let n = 0; n < 40; n += 1) comparisons.push(await compare(image(`${n}`)), await compare(image('same')))
  expect(comparisons.map(({ state }) => state)).toEqual(Array.from({ length: 40 }, () => ['stale', 'current']).flat())
  const held = new Set(comparisons.flatMap(({ origin, github }) => [origin?.display, github?.display]))
  const characters = [...held].reduce((sum, picture) => sum + (picture?.bytes.length ?? 0), 0)
  expect(characters).toBeGreaterThan(maxStored)
  expect(characters).toBeLessThan(2 * maxStored)
  expect(comparisons[0]?.origin?.headers).toEqual({ 'content-type': 'image/png', age: '0' })
  await box.close()
})
