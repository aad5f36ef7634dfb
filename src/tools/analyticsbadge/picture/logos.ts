import { readFile } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import type { Style } from '../terms.ts'

/** Characters of logos kept. */
const keptText = 1_000_000
/** Brands in dark colors would not be seen beside the label, nor light ones on the white of `social`. */
const [tooDark, tooLight] = [0.4, 0.6]

/** A logo as a URL that an SVG may contain: in its brand's color, and as it is drawn on white. */
export type Logo = { slug: string; onLabel: string; onWhite: string }

/** Logos of simple-icons by slug. Only those asked for are read, and the last ones are kept. */
export function logos() {
  const kept = new LRUCache<string, { logo: Logo | undefined }>({
    max: 2_000,
    maxSize: keptText,
    sizeCalculation: ({ logo }, slug) => slug.length + (logo ? logo.onLabel.length + logo.onWhite.length : 1),
  })
  return {
    /** Undefined for a slug that nobody knows. */
    async find(slug: string): Promise<Logo | undefined> {
      const known = kept.get(slug)
      if (known) return known.logo
      const logo = await read(slug)
      kept.set(slug, { logo })
      return logo
    },
  }
}

export const logoFor = (logo: Logo, style: Style | undefined): string =>
  style === 'social' ? logo.onWhite : logo.onLabel

async function read(slug: string): Promise<Logo | undefined> {
  const svg = await readFile(fileOf(`icons/${slug}.svg`), 'utf8').catch(() => undefined)
  if (svg === undefined) return undefined
  const color = await brandColor(slug)
  const light = lightness(color)
  return {
    slug,
    onLabel: urlOf(svg, light <= tooDark ? 'f5f5f5' : color),
    onWhite: urlOf(svg, light >= tooLight ? '333333' : color),
  }
}

/** The list of colors is read as text: parsed, it would take much more memory. */
async function brandColor(slug: string): Promise<string> {
  const list = await readFile(fileOf('icons.json'), 'utf8')
  const at = list.indexOf(`"slug":"${slug}"`)
  return /"hex":"([0-9A-F]{6})"/.exec(list.slice(at, at + 200))?.[1]?.toLowerCase() ?? 'f5f5f5'
}

const fileOf = (part: string) => new URL(import.meta.resolve(`simple-icons/${part}`))

const urlOf = (svg: string, color: string) =>
  `data:image/svg+xml;base64,${Buffer.from(svg.replace('<svg ', `<svg fill="#${color}" `)).toString('base64')}`

/** How light a color looks, from 0 to 1. */
function lightness(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return (red * 299 + green * 587 + blue * 114) / 255_000
}
