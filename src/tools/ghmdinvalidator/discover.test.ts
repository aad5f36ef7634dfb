import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { pageOf, shapes } from '../../../test/support/fakes/fake-github.ts'
import { findProxiedImages, mostImages, otherImages } from './discover.ts'

const camoUrl = 'https://camo.githubusercontent.com'
const sha1 = 'a1'.repeat(20)
const sha256 = '0f'.repeat(32)
const hex = (text: string) => Buffer.from(text).toString('hex')
const camo = (origin: string, digest = sha1) => `${camoUrl}/${digest}/${hex(origin)}`
const badge = 'https://img.shields.io/badge/build-passing-green.svg?style=flat&label=ü'
const origins = (text: string) => findProxiedImages(text, camoUrl).map(({ origin }) => origin)

describe('the proxied images of a page', () => {
  test.each(shapes)('are found once each in a page of shape %s, with their original URLs', (shape) => {
    const images = [camo(badge), camo('http://example.com/a.png', sha256)]
    expect(findProxiedImages(pageOf(images, shape), camoUrl)).toEqual([
      { camo: images[0], origin: badge },
      { camo: images[1], origin: 'http://example.com/a.png' },
    ])
  })

  test('are found between various delimiters and at the very end of the text', () => {
    for (const text of [
      camo(badge),
      `(${camo(badge)})`,
      `${camo(badge)} 2x, x`,
      `${camo(badge)}\\"`,
      `${camo(badge)}&quot;`,
    ])
      expect(origins(text)).toEqual([badge])
  })

  test.each([
    ['a digest of another length', camo(badge, 'a1'.repeat(21))],
    ['a digest too long', camo(badge, 'a1'.repeat(33))],
    ['a digest in capitals', camo(badge, 'A1'.repeat(20))],
    ['no address', `${camoUrl}/${sha1}/`],
    ['nothing but a digest', `${camoUrl}/${sha1}`],
    ['half a byte', `${camo(badge)}7`],
    ['an address that goes on', `${camo(badge)}zz`],
    ['an address of another kind', camo('ftp://example.com/a.png')],
    ['a script', camo('javascript:alert(1)')],
    ['words', camo('not an address')],
    ['an address of two lines', camo('https://example.com/a.png\nCause: another')],
    ['an address with what no database stores', camo('https://example.com/a\0.png')],
    ['bytes that are no text', `${camoUrl}/${sha1}/${hex('http://a.b/')}ff`],
    ['another host', camo(badge).replace('camo.', 'camo-')],
    ['another host before it', camo(badge).replace('https://', 'https://evil.example/')],
    ['another scheme', camo(badge).replace('https:', 'http:')],
    ['a port', camo(badge).replace('.com/', '.com:444/')],
  ])('exclude %s', (_what, text) => {
    expect(origins(`<img src="${text}">`)).toEqual([])
  })

  test('are found up to the limit', () => {
    const page = Array.from({ length: mostImages + 9 }, (_, index) => camo(`https://example.com/${index}`)).join('"')
    expect(findProxiedImages(page, camoUrl)).toHaveLength(mostImages)
  })

  test('are always on the configured host, whatever a page contains', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.webUrl(), fc.string())), fc.string(), (addresses, between) => {
        const page = addresses.map((address) => `"${camo(address)}"${between}`).join(between)
        for (const found of findProxiedImages(page, camoUrl)) {
          expect(found.camo.startsWith(`${camoUrl}/`)).toBe(true)
          expect(new URL(found.camo).origin).toBe(camoUrl)
          expect(found.camo.endsWith(`/${hex(found.origin)}`)).toBe(true)
        }
      }),
    )
  })

  test('are found once each, whatever text surrounds them', () => {
    const around = fc.string({ unit: 'grapheme' }).map((text) => `"${text}"`)
    const urls = fc.uniqueArray(fc.webUrl({ withQueryParameters: true }))
    fc.assert(
      fc.property(urls, around, around, (addresses, before, after) => {
        const page = addresses.map((address) => `${before}${camo(address)}${after}`).join('')
        expect(origins(page + page)).toEqual(addresses)
      }),
    )
  })
})

const megabytes = (text: string, count = 5) => text.repeat(Math.ceil((count * 1_000_000) / text.length))

/** Distinct letters: encoding them as an ASCII host name takes time that is quadratic in their number. */
const manyLetters = String.fromCodePoint(...Array.from({ length: 2_000 }, (_, n) => 0x4e00 + n))

describe('5 MB of malicious text', () => {
  test.each([
    ['beginnings of addresses', megabytes(`${camoUrl}/`)],
    ['digests that lead nowhere', megabytes(`${camoUrl}/${sha256}`)],
    ['one address without an end', `${camo('http://a/')}${megabytes('61')}`],
    ['many addresses that are too long', megabytes(`${camo('http://a/')}${'61'.repeat(9_000)}"`)],
    ['half bytes', megabytes(`${camo(badge)}7"`)],
    ['the start of one host', megabytes('https://camo.githubusercontent.co')],
    ['tags that do not end', megabytes('<img ')],
    ['tags without an address', megabytes(`<img ${'a '.repeat(900)}`)],
    ['escaped tags', megabytes('\\u003cimg \\"')],
    ['hosts without an end', megabytes(`<img src="//${manyLetters}">`)],
  ])('yields no images: %s', (_what, text) => {
    expect(findProxiedImages(text, camoUrl)).toEqual([])
    expect(otherImages(text, 'https://github.com/a/b', [])).toEqual([])
  })

  test('yields one image for a hundred thousand occurrences of it', () => {
    expect(origins(megabytes(`${camo('http://a/')}"`))).toEqual(['http://a/'])
    const parse = vi.spyOn(URL, 'parse')
    onTestFinished(() => parse.mockRestore())
    expect(otherImages(megabytes('<img src="a">'), 'https://github.com/a/b', [])).toHaveLength(1)
    expect(parse.mock.calls.length).toBeLessThan(20_000)
  })
})

describe('the other images of a page', () => {
  const others = (text: string) =>
    otherImages(text, 'https://github.com/owner/repository', findProxiedImages(text, camoUrl))
  const raw = 'https://raw.githubusercontent.com/owner/repository/main/shot.png?a=1&b=2'
  const avatar = 'https://avatars.githubusercontent.com/u/1?s=40&v=4'

  test.each(shapes)('are listed once each in a page of shape %s, without the proxied ones', (shape) => {
    const images = [raw, camo(badge), raw].map((one) => one.replaceAll('&', '&amp;'))
    expect(others(pageOf(images, shape))).toEqual([avatar, raw])
  })

  test.each([
    ['ftp', camo('ftp://example.com/a.png')],
    ['Latin-1', `${camoUrl}/${sha1}/${Buffer.from('http://a/\xfc', 'latin1').toString('hex')}`],
    ['two lines', camo('http://a/\nb')],
    ['nothing', `${camoUrl}/${sha1}/`],
  ])('include an image that GitHub proxies from %s, but exclude theme variants of a purged image', (_what, odd) => {
    const page = `<img src="${odd}"> <img src="${camo(badge)}#gh-dark-mode-only">`
    expect(others(page)).toEqual([odd])
    expect(origins(page)).toEqual([badge])
  })

  test('may have URLs relative to the page, but only http(s) ones', () => {
    const page =
      '<img alt="x" src="/owner/repository/raw/main/a.png"> <img src="data:image/png;base64,AA"> <imgs src="/b">'
    expect(others(page)).toEqual(['https://github.com/owner/repository/raw/main/a.png'])
    expect(others('<img data-canonical-src="https://a.example/b.png">')).toEqual([])
  })
})
