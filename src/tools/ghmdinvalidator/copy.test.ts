import { expect, test } from 'vitest'
import { displayType, isPicture, maxDisplayed, pictureIn } from './copy.ts'

const bytes = (...parts: (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))
const big = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const png = (width: number, height: number) =>
  bytes('\x89PNG\r\n\x1a\n', big(13), 'IHDR', big(width), big(height), [8, 2, 0, 0, 0])
const gif = bytes('GIF89a', [3, 0, 2, 0], [0, 0, 0])
const jpeg = bytes(
  '\xff\xd8',
  '\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0',
  '\xff\xc0\0\x11\x08',
  [0, 5, 0, 7],
  '\x03'.repeat(9),
)
const webp = bytes('RIFF\0\0\0\0WEBPVP8X', [10, 0, 0, 0], [0, 0, 0, 0], [8, 0, 0], [6, 0, 0], '\0\0')
const svg = bytes(
  '<?xml version="1.0"?>\n<!-- made by hand --><!DOCTYPE svg>\n<svg xmlns="http://www.w3.org/2000/svg"/>',
)

test.each([
  ['a PNG', png(4, 3), 'image/png', 4, 3],
  ['a GIF', gif, 'image/gif', 3, 2],
  ['a JPEG', jpeg, 'image/jpeg', 7, 5],
  ['a WebP', webp, 'image/webp', 9, 7],
  ['an SVG', svg, 'image/svg+xml', 0, 0],
] as const)('%s is recognized by its bytes and displayed', (_what, body, type, width, height) => {
  expect(pictureIn(body)).toEqual({ type, width, height })
  expect(displayType(body)).toBe(type)
})

test.each([
  ['HTML', '<!doctype html><html><svg onload="alert(1)"></svg>'],
  ['HTML behind a comment', '<!-- <svg> --><html>'],
  ['a script in an SVG', '<svg><script>alert(1)</script></svg>'],
  ['a prefixed script in an SVG', '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:SCRIPT/></s:svg>'],
  ['a script in an SVG whose prefix is no word', '<svg xmlns:a.b="http://www.w3.org/2000/svg"><a.b:script/></svg>'],
  ['an SVG with entities', '<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>'],
  ['an SVG that multiplies itself', '<svg><g id="a"/><use href="#a"/></svg>'],
  ['foreign content in an SVG', '<svg><foreignObject/></svg>'],
  ['text', 'Not found'],
  ['nothing', ''],
  ['half a PNG', '\x89PNG\r\n\x1a\n'],
])('%s is not displayed', (_what, text) => {
  expect(displayType(bytes(text))).toBeUndefined()
})

test('a picture with too many pixels, an unknown size or too many bytes is not displayed', () => {
  expect(displayType(png(100_000, 100_000))).toBeUndefined()
  expect(displayType(Buffer.concat([bytes('\xff\xd8\xff\xe0\xff\xff'), jpeg]))).toBeUndefined()
  expect(displayType(bytes(String(svg), ' '.repeat(maxDisplayed)))).toBeUndefined()
})

test('the search in a JPEG skips fill bytes, and ends even if all segments have length zero', () => {
  const filled = Buffer.concat([bytes('\xff\xd8\xff\xff\xff'), jpeg.subarray(2)])
  expect(pictureIn(filled)).toEqual({ type: 'image/jpeg', width: 7, height: 5 })
  const endless = bytes('\xff\xd8', ...Array.from({ length: 1_000 }, () => '\xff\xe0\0\0'))
  expect(pictureIn(endless)?.type).toBe('image/jpeg')
})

test.each([
  ['image/png', '<html>', false],
  ['image/svg+xml', '<html>', false],
  ['image/svg+xml', `${'<!-- long -->'.repeat(1_000)}<svg>`, true],
  ['image/png', 'GIF89a\x01\0\x01\0', true],
  ['image/avif', 'whatever that is', true],
])('content of type %s with the bytes %j may be a picture: %s', (type, body, may) => {
  expect(isPicture(type, bytes(body))).toBe(may)
})
