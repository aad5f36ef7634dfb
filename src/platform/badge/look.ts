import * as z from 'zod/mini'
import { isColor, isLogo, longestLabel, type Style, styles } from '../../shared/badge-look.ts'
import { contentOf } from '../http/description/content.ts'

/** The look of a badge as its URL requests it; undefined is the default. */
export type Look = {
  label: string | undefined
  style: Style | undefined
  color: string | undefined
  labelColor: string | undefined
  logo: string | undefined
}

/** Why a badge cannot be shown, in the few words that fit on one. */
export type Problem = { problem: string }

function findRepeated(query: URLSearchParams, names: readonly string[]): Problem | undefined {
  const name = names.find((one) => query.getAll(one).length > 1)
  return name === undefined ? undefined : { problem: `${name} appears twice` }
}

/** The look in a query, or the problem with it or with a repeated parameter of `others`. Ignores unknown parameters. */
export function readLook(query: URLSearchParams, others: readonly string[]): Look | Problem {
  const repeated = findRepeated(query, ['text', 'style', 'color', 'labelColor'])
  if (repeated) return repeated
  const label = query.get('text') ?? ''
  if (label.length > longestLabel) return { problem: `text over ${longestLabel} characters` }
  if (!/^[A-Za-z0-9_ -]*$/.test(label)) return { problem: 'text: use letters, digits, - and _' }
  const style = readOneOf(styles, query.get('style'))
  if (style === null) return { problem: 'unknown style' }
  const [color, labelColor] = [readColor(query.get('color')), readColor(query.get('labelColor'))]
  if (color === null) return { problem: 'unknown color' }
  if (labelColor === null) return { problem: 'unknown labelColor' }
  const look = { label: label.trim() || undefined, style, color, labelColor, logo: readLogo(query.get('logo')) }
  return findRepeated(query, [...others, 'logo']) ?? look
}

/** Undefined if none is given, null if it isn't one of these values. */
export const readOneOf = <Value extends string>(values: readonly Value[], text: string | null) =>
  text ? (values.find((value) => value === text) ?? null) : undefined

/** Undefined if none is given, null if it isn't a color. */
function readColor(text: string | null): string | undefined | null {
  if (!text) return undefined
  return isColor(text) ? text.toLowerCase().replace('#', '') : null
}

/** As at shields.io, case is ignored, and a badge with an unknown logo is drawn without one. */
function readLogo(text: string | null): string | undefined {
  const slug = text?.trim().toLowerCase()
  return slug && isLogo(slug) ? slug : undefined
}

const optional = z.optional(z.string())
/** Only for the API description: an invalid value results in a badge that explains it. */
export const LookQuery = z.object({
  text: optional,
  style: optional,
  color: optional,
  labelColor: optional,
  period: optional,
  logo: optional,
})

export const pictureOf = (description: string) =>
  contentOf('image/svg+xml', description, '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20">…</svg>')
export const problemPicture = pictureOf('A badge that says what is wrong.')

/** The response that shields.io expects from an endpoint. */
export const Shield = z.object({
  schemaVersion: z.literal(1),
  label: z.string(),
  message: z.string(),
  color: z.string(),
  labelColor: optional,
  namedLogo: optional,
  style: optional,
})

/** The response for shields.io: with the look that the URL requests, or else the usual one. */
export const shieldOf = (
  { label, color, labelColor, style, logo }: Look,
  defaults: { label: string; message: string; color: string },
): z.infer<typeof Shield> => ({
  schemaVersion: 1,
  label: label ?? defaults.label,
  message: defaults.message,
  color: color ?? defaults.color,
  ...(labelColor && { labelColor }),
  ...(logo && { namedLogo: logo }),
  ...(style && style !== 'sparkline' && { style }),
})
