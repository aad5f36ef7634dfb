import { makeBadge } from 'badge-maker'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { palette, styles } from '../terms.ts'
import type { Options } from './options.ts'
import { abbreviate, badgePictures } from './svg.ts'
import { readXml } from './test-xml.ts'

const plain: Options = {
  label: undefined,
  style: undefined,
  color: undefined,
  labelColor: undefined,
  abbreviated: false,
}
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_- '
const labels = fc
  .string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 64 })
  .map((label) => label.trim())
  .filter((label) => label !== '')
const colors = fc.constantFrom(undefined, 'brightgreen', 'critical', 'ff0000', 'abc', 'ffffff')
const counts = fc.oneof(fc.nat(2_000), fc.nat(Number.MAX_SAFE_INTEGER))
const looks = fc.record({
  label: fc.option(labels, { nil: undefined }),
  style: fc.constantFrom(...styles),
  color: colors,
  labelColor: colors,
  abbreviated: fc.boolean(),
})

test('is byte for byte what badge-maker draws for the number itself, whatever the look', () => {
  const pictures = badgePictures()
  fc.assert(
    fc.property(counts, looks, (count, options) => {
      const { label = 'views', style, color, labelColor, abbreviated } = options
      const message = abbreviated ? abbreviate(count) : String(count)
      const itself = makeBadge({ label, message, style, ...(color && { color }), ...(labelColor && { labelColor }) })
      expect(pictures.views(count, options)).toBe(itself)
    }),
    { numRuns: 500 },
  )
})

test('is well-formed, says its label and number to everybody, and keeps its texts inside itself', () => {
  const pictures = badgePictures()
  fc.assert(
    fc.property(counts, looks, (count, options) => {
      const svg = readXml(pictures.views(count, options))
      const [root] = svg
      const number = options.abbreviated ? abbreviate(count) : String(count)
      expect(root).toMatchObject({ name: 'svg', attributes: { role: 'img' } })
      const said = root?.attributes['aria-label'] ?? ''
      expect(said.toLowerCase()).toBe(`${options.label ?? 'views'}: ${number}`.toLowerCase())
      expect(svg.find(({ name }) => name === 'title')?.text).toBe(said)
      const shown = svg.filter(({ name }) => name === 'text')
      expect(shown.map(({ text }) => text.toLowerCase())).toContain(number.toLowerCase())
      const width = Number(root?.attributes.width)
      for (const { attributes } of shown) {
        const [x, length] = [Number(attributes.x) / 10, Number(attributes.textLength) / 10]
        expect([x - length / 2 >= 0, x + length / 2 <= width]).toEqual([true, true])
      }
    }),
    { numRuns: 300 },
  )
})

test('has the colours that the page shows for their names, and what is usual is usual', () => {
  const pictures = badgePictures()
  const isShort = (fill: string) => fill.replace(/^#(.)\1(.)\2(.)\3$/, '#$1$2$3')
  for (const [name, fill] of Object.entries(palette))
    expect(pictures.views(1, { ...plain, color: name })).toContain(`fill="${isShort(fill)}"`)
  expect(pictures.views(1, { ...plain, color: 'brightgreen', labelColor: 'grey' })).toBe(pictures.views(1, plain))
})

test('what is wrong is a picture like any other', () => {
  for (const words of ['tag: use letters, digits and _', '?', 'text over 64 characters'])
    expect(readXml(badgePictures().problem(words))[0]?.attributes['aria-label']).toBe(`views: ${words}`)
})

test('is the same bytes each time', () => {
  const [one, other] = [badgePictures(), badgePictures()]
  expect(one.views(7, plain)).toBe(one.views(7, plain))
  expect(one.views(7, plain)).toBe(other.views(7, plain))
})

test('stays right when more looks are asked for than are kept', () => {
  const pictures = badgePictures()
  const first = pictures.views(1, plain)
  for (let look = 0; look < 2_100; look += 1) pictures.views(1, { ...plain, label: `label ${look}` })
  expect(pictures.views(1, plain)).toBe(first)
})

describe('a number in short', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1k'],
    [1_234, '1.2k'],
    [9_999, '9.9k'],
    [10_999, '10k'],
    [999_999, '999k'],
    [1_000_000, '1M'],
    [2_500_000_000, '2.5B'],
    [7_100_000_000_000, '7.1T'],
  ])('of %d is %s', (count, short) => {
    expect(abbreviate(count)).toBe(short)
  })
})
