import { readFile } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { onceAsync } from '../../shared/async.ts'
import type { Style } from '../../shared/badge-look.ts'

/** The most characters of logos to cache. */
const keptText = 1_000_000
/** Dark brand colors would be invisible next to the label, and light ones on the white of `social`. */
const [tooDark, tooLight] = [0.4, 0.6]

/** A logo as data URLs for an SVG, in its brand's color where that is visible: next to the label, and on white. */
export type Logo = { slug: string; onLabel: string; onWhite: string }

type Read = (file: URL) => Promise<string>
const readText: Read = (file) => readFile(file, 'utf8')

/** Finds logos of simple-icons by slug. Reads them on demand, and caches the latest. */
export function logos(read = readText) {
  const colorOf = brandColors(read)
  const cache = new LRUCache<string, { logo: Logo | undefined }>({
    max: 2_000,
    maxSize: keptText,
    sizeCalculation: ({ logo }, slug) => slug.length + (logo ? logo.onLabel.length + logo.onWhite.length : 1),
  })

  async function readLogo(slug: string): Promise<Logo | undefined> {
    const svg = await read(fileOf(`icons/${slug}.svg`)).catch(() => undefined)
    if (svg === undefined) return undefined
    const color = await colorOf(slug)
    const light = lightness(color)
    return {
      slug,
      onLabel: urlOf(svg, light <= tooDark ? 'f5f5f5' : color),
      onWhite: urlOf(svg, light >= tooLight ? '333333' : color),
    }
  }

  return {
    async find(slug: string): Promise<Logo | undefined> {
      const cached = cache.get(slug)
      if (cached) return cached.logo
      const logo = await readLogo(slug)
      cache.set(slug, { logo })
      return logo
    },
  }
}

export const logoFor = (logo: Logo, style: Style | undefined): string =>
  style === 'social' ? logo.onWhite : logo.onLabel

/** Reads the list of colors once, on demand, and keeps only a line per brand, which is a small part of it. */
function brandColors(read: Read): (slug: string) => Promise<string> {
  const lines = onceAsync(async () => {
    const list = await read(fileOf('icons.json'))
    const brands = list.matchAll(/"slug":"(\w+)".{0,200}?"hex":"([0-9A-F]{6})"/gs)
    return Array.from(brands, ([, slug, color = '']) => `\n${slug} ${color.toLowerCase()}`).join('')
  })
  return async (slug) => {
    const [colorLines, line] = [await lines(), `\n${slug} `]
    const at = colorLines.indexOf(line)
    return at < 0 ? 'f5f5f5' : colorLines.slice(at + line.length, at + line.length + 6)
  }
}

const fileOf = (part: string) => new URL(import.meta.resolve(`simple-icons/${part}`))

const urlOf = (svg: string, color: string) =>
  `data:image/svg+xml;base64,${Buffer.from(svg.replace('<svg ', `<svg fill="#${color}" `)).toString('base64')}`

/** How light a color looks, from 0 to 1. */
function lightness(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return (red * 299 + green * 587 + blue * 114) / 255_000
}
