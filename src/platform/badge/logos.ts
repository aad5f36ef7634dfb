import { readFile } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { onceAsync } from '../../shared/async.ts'
import type { Style } from '../../shared/badge-look.ts'

/** Characters of logos kept. */
const keptText = 1_000_000
/** Brands in dark colors would not be seen next to the label, nor light ones on the white of `social`. */
const [tooDark, tooLight] = [0.4, 0.6]

/** A logo as a URL that an SVG may contain: in its brand's color, and as it is drawn on white. */
export type Logo = { slug: string; onLabel: string; onWhite: string }

type Read = (file: URL) => Promise<string>
const readText: Read = (file) => readFile(file, 'utf8')

/** Logos of simple-icons by slug. Only those asked for are read, and the last ones are kept. */
export function logos(read = readText) {
  const colorOf = brandColors(read)
  const kept = new LRUCache<string, { logo: Logo | undefined }>({
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
    /** Undefined for a slug that nobody knows. */
    async find(slug: string): Promise<Logo | undefined> {
      const known = kept.get(slug)
      if (known) return known.logo
      const logo = await readLogo(slug)
      kept.set(slug, { logo })
      return logo
    },
  }
}

export const logoFor = (logo: Logo, style: Style | undefined): string =>
  style === 'social' ? logo.onWhite : logo.onLabel

/** The list of colors is read once, by all who ask meanwhile together, and kept as a line a brand: a small part of it. */
function brandColors(read: Read): (slug: string) => Promise<string> {
  const lines = onceAsync(async () => {
    const list = await read(fileOf('icons.json'))
    const brands = list.matchAll(/"slug":"(\w+)".{0,200}?"hex":"([0-9A-F]{6})"/gs)
    return Array.from(brands, ([, slug, color = '']) => `\n${slug} ${color.toLowerCase()}`).join('')
  })
  return async (slug) => {
    const [known, line] = [await lines(), `\n${slug} `]
    const at = known.indexOf(line)
    return at < 0 ? 'f5f5f5' : known.slice(at + line.length, at + line.length + 6)
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
