import * as z from 'zod/mini'
import { isColor, isLogo, longest, type Period, periods, type Style, styles } from '../terms.ts'

/** What a badge shows beside its number. */
export type Options = {
  label: string | undefined
  style: Style | undefined
  color: string | undefined
  labelColor: string | undefined
  abbreviated: boolean
  /** All views if there is none. */
  period: Period | undefined
  /** The slug of a logo. */
  logo: string | undefined
}
/** Only for the API's description. */
export const BadgeQuery = z.object({
  text: z.optional(z.string()),
  style: z.optional(z.string()),
  color: z.optional(z.string()),
  labelColor: z.optional(z.string()),
  abbreviated: z.optional(z.string()),
  period: z.optional(z.string()),
  logo: z.optional(z.string()),
})

/** Why a badge cannot be shown, in the few words that fit on one. */
type Problem = { problem: string }

export const wrongTag = 'tag: use letters, digits and _'
/** The tag in a URL, or what is wrong with it. */
export function readTag(text: string): string | Problem {
  if (text.length > longest.tag) return { problem: `tag over ${longest.tag} characters` }
  return /^[A-Za-z0-9_]+$/.test(text) ? text : { problem: wrongTag }
}

const defaults: Options = {
  label: undefined,
  style: undefined,
  color: undefined,
  labelColor: undefined,
  abbreviated: false,
  period: undefined,
  logo: undefined,
}
/** The options in a URL, or what is wrong with them. */
export function readOptions(url: string): Options | Problem {
  const at = url.indexOf('?')
  return at < 0 ? defaults : readQuery(new URLSearchParams(url.slice(at + 1)))
}

/** Unknown parameters are ignored. */
function readQuery(query: URLSearchParams): Options | Problem {
  for (const name of ['text', 'style', 'color', 'labelColor', 'abbreviated', 'period', 'logo'])
    if (query.getAll(name).length > 1) return { problem: `${name} appears twice` }
  const label = query.get('text') ?? ''
  if (label.length > longest.label) return { problem: `text over ${longest.label} characters` }
  if (!/^[A-Za-z0-9_ -]*$/.test(label)) return { problem: 'text: use letters, digits, - and _' }
  const style = query.get('style') || undefined
  if (style !== undefined && !isStyle(style)) return { problem: 'unknown style' }
  const [color, labelColor] = [readColor(query.get('color')), readColor(query.get('labelColor'))]
  if (color === null) return { problem: 'unknown color' }
  if (labelColor === null) return { problem: 'unknown labelColor' }
  const abbreviated = readSwitch(query.get('abbreviated'))
  if (abbreviated === null) return { problem: 'abbreviated: true or false' }
  const period = query.get('period') || undefined
  if (period !== undefined && !isPeriod(period)) return { problem: 'unknown period' }
  const logo = readLogo(query.get('logo'))
  return { label: label.trim() || undefined, style, color, labelColor, abbreviated, period, logo }
}

const isPeriod = (text: string): text is Period => (periods as readonly string[]).includes(text)

/** As at shields.io, case is ignored, and a badge with an unknown logo is one without. */
function readLogo(text: string | null): string | undefined {
  const slug = text?.trim().toLowerCase()
  return slug && isLogo(slug) ? slug : undefined
}

const isStyle = (text: string): text is Style => (styles as readonly string[]).includes(text)

/** Undefined if none is given, null if it isn't a color. */
function readColor(text: string | null): string | undefined | null {
  if (!text) return undefined
  return isColor(text) ? text.toLowerCase().replace('#', '') : null
}

function readSwitch(text: string | null): boolean | null {
  if (text === null || text === 'false' || text === '0') return false
  return text === '' || text === 'true' || text === '1' ? true : null
}
