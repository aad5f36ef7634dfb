import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { makeBadge } from 'badge-maker'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readXml } from '../../../test/support/xml.ts'
import { logos } from '../../platform/badge/logos.ts'
import { palette, plainStyles, styles } from '../../shared/badge-look.ts'
import type { Options } from './options.ts'
import { abbreviate, badgePictures } from './svg.ts'

const plain: Options = {
  label: undefined,
  style: undefined,
  color: undefined,
  labelColor: undefined,
  abbreviated: false,
  period: undefined,
  logo: undefined,
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
  style: fc.constantFrom(...plainStyles),
  color: colors,
  labelColor: colors,
  abbreviated: fc.boolean(),
  period: fc.constant(undefined),
  logo: fc.constant(undefined),
})

test('matches the output of badge-maker byte for byte for any number and look', () => {
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

test('is well-formed, has an accessible name of label and number, and keeps its texts within its width', () => {
  const pictures = badgePictures()
  fc.assert(
    fc.property(counts, looks, (count, options) => {
      const svg = readXml(pictures.views(count, options))
      const [root] = svg
      const number = options.abbreviated ? abbreviate(count) : String(count)
      expect(root).toMatchObject({ name: 'svg', attributes: { role: 'img' } })
      const accessibleName = root?.attributes['aria-label'] ?? ''
      expect(accessibleName.toLowerCase()).toBe(`${options.label ?? 'views'}: ${number}`.toLowerCase())
      expect(svg.find(({ name }) => name === 'title')?.text).toBe(accessibleName)
      const texts = svg.filter(({ name }) => name === 'text')
      expect(texts.map(({ text }) => text.toLowerCase())).toContain(number.toLowerCase())
      const width = Number(root?.attributes.width)
      for (const { attributes } of texts) {
        const [x, length] = [Number(attributes.x) / 10, Number(attributes.textLength) / 10]
        expect([x - length / 2 >= 0, x + length / 2 <= width]).toEqual([true, true])
      }
    }),
    { numRuns: 300 },
  )
})

test('has the page’s colour for each colour name, and is brightgreen and grey by default', () => {
  const pictures = badgePictures()
  const isShort = (fill: string) => fill.replace(/^#(.)\1(.)\2(.)\3$/, '#$1$2$3')
  for (const [name, fill] of Object.entries(palette))
    expect(pictures.views(1, { ...plain, color: name })).toContain(`fill="${isShort(fill)}"`)
  expect(pictures.views(1, { ...plain, color: 'brightgreen', labelColor: 'grey' })).toBe(pictures.views(1, plain))
})

test('has a visible logo from simple-icons, and is wider with it', async () => {
  const pictures = badgePictures()
  const { find } = logos()
  for (const nobody of ['nosuchlogo', 'package', '']) expect(await find(nobody), nobody).toBeUndefined()
  const [github, javascript] = [await find('github'), await find('javascript')]
  expect(await find('github')).toBe(github)
  const svgOf = (url = '') => Buffer.from(url.replace('data:image/svg+xml;base64,', ''), 'base64').toString()
  expect([svgOf(github?.onLabel), svgOf(github?.onWhite)]).toEqual([
    expect.stringContaining('fill="#f5f5f5"'),
    expect.stringContaining('fill="#181717"'),
  ])
  expect([svgOf(javascript?.onLabel), svgOf(javascript?.onWhite)]).toEqual([
    expect.stringContaining('fill="#f7df1e"'),
    expect.stringContaining('fill="#333333"'),
  ])
  for (const style of plainStyles) {
    const [bare, ours] = [undefined, github].map((logo) => readXml(pictures.views(7, { ...plain, style }, { logo })))
    expect(ours?.find(({ name }) => name === 'image')?.attributes.href).toMatch(/^data:image\/svg\+xml;base64,/)
    expect(Number(ours?.[0]?.attributes.width)).toBeGreaterThan(Number(bare?.[0]?.attributes.width) + 13)
  }
})

test('reads the list of brands once for all logos, including concurrent lookups', async () => {
  const reads: string[] = []
  const { find } = logos((file) => {
    reads.push(file.pathname.replace(/^.*\//, ''))
    return readFile(file, 'utf8')
  })
  const slugs = ['github', 'javascript', 'dotenv', 'nosuchlogo']
  const found = await Promise.all(slugs.map(find))
  expect(found.map((logo) => logo?.slug)).toEqual(['github', 'javascript', 'dotenv', undefined])
  expect(await find('html5')).toMatchObject({ slug: 'html5' })
  expect(reads.filter((name) => name.endsWith('.json'))).toHaveLength(1)
})

test('draws a sparkline of thirty days within its width, with their sum in the accessible name', () => {
  const pictures = badgePictures()
  const line = Array.from({ length: 30 }, (_, day) => day)
  for (const color of [undefined, 'ffffff', 'red']) {
    const plainly = readXml(pictures.views(1_234, { ...plain, style: 'flat-square', color }))
    const svg = readXml(pictures.views(1_234, { ...plain, style: 'sparkline', color }, { line }))
    const width = Number(svg[0]?.attributes.width)
    expect(width).toBe(Number(plainly[0]?.attributes.width) + 64)
    expect(svg[0]?.attributes['aria-label']).toBe('views: 1234 in total, 435 in the last 30 days')
    expect(svg.find(({ name }) => name === 'title')?.text).toBe(svg[0]?.attributes['aria-label'])
    const drawn = svg.find(({ name }) => name === 'path')?.attributes
    const points = [...String(drawn?.d).matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)])
    expect(points).toHaveLength(30)
    expect(points[0]?.[1]).toBe(16)
    expect(points.at(-1)).toEqual([width - 6, 4])
    expect(drawn?.stroke).toBe(color === 'ffffff' ? '#333' : '#fff')
  }
  expect(pictures.views(0, { ...plain, style: 'sparkline' }, { line: line.map(() => 0) })).toContain('16L')
  const ofWeek = readXml(pictures.views(203, { ...plain, style: 'sparkline', period: '7d' }, { line }))
  expect(ofWeek[0]?.attributes['aria-label']).toBe('views: 203, 435 in the last 30 days')
})

test('shows only the label when the number is hidden', () => {
  const pictures = badgePictures()
  for (const style of styles) {
    const svg = readXml(pictures.label({ ...plain, style, label: 'Seen', labelColor: 'red' }))
    expect(svg[0]?.attributes['aria-label'], style).toMatch(/^seen$/i)
  }
})

test('matches the page’s sample of each style', () => {
  const line = Array.from({ length: 30 }, (_, day) => [3, 5, 4, 6, 8, 7, 9, 6, 5, 8][day % 10]! + Math.floor(day / 5))
  for (const style of styles) {
    const drawn = badgePictures().views(1_234, { ...plain, style }, style === 'sparkline' ? { line } : {})
    expect(readFileSync(new URL(`./pages/styles/${style}.svg`, import.meta.url), 'utf8').trim(), style).toBe(drawn)
  }
})

test('a problem is drawn as an ordinary badge', () => {
  for (const words of ['tag: use letters, digits and _', '?', 'text over 64 characters'])
    expect(readXml(badgePictures().problem(words))[0]?.attributes['aria-label']).toBe(`views: ${words}`)
})

test('stays correct after more looks than the cache keeps', () => {
  const pictures = badgePictures()
  const first = pictures.views(1, plain)
  for (let look = 0; look < 2_100; look += 1) pictures.views(1, { ...plain, label: `label ${look}` })
  expect(pictures.views(1, plain)).toBe(first)
})

describe('an abbreviated number', () => {
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
