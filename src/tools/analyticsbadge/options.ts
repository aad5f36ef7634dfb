import * as z from 'zod/mini'
import { findRepeated, type Look, LookQuery, type Problem, readLogo, readLook } from '../../platform/badge/look.ts'
import { type Style, styles } from '../../shared/badge-look.ts'
import { longestTag, type Period, periods } from './terms.ts'

export type Options = Look<Style> & {
  abbreviated: boolean
  /** Undefined shows all views. */
  period: Period | undefined
  logo: string | undefined
}
export const BadgeQuery = z.extend(LookQuery, { abbreviated: z.optional(z.string()) })

export const wrongTag = 'tag: use letters, digits and _'
export function readTag(text: string): string | Problem {
  if (text.length > longestTag) return { problem: `tag over ${longestTag} characters` }
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
export function readOptions(url: string): Options | Problem {
  const at = url.indexOf('?')
  return at < 0 ? defaults : readQuery(new URLSearchParams(url.slice(at + 1)))
}

/** Unknown parameters are ignored. */
function readQuery(query: URLSearchParams): Options | Problem {
  const look = readLook(query, styles)
  if ('problem' in look) return look
  const repeated = findRepeated(query, ['abbreviated', 'period', 'logo'])
  if (repeated) return repeated
  const abbreviated = readSwitch(query.get('abbreviated'))
  if (abbreviated === null) return { problem: 'abbreviated: true or false' }
  const period = query.get('period') || undefined
  if (period !== undefined && !isPeriod(period)) return { problem: 'unknown period' }
  const logo = readLogo(query.get('logo'))
  return { ...look, abbreviated, period, logo }
}

const isPeriod = (text: string): text is Period => (periods as readonly string[]).includes(text)

function readSwitch(text: string | null): boolean | null {
  if (text === null || text === 'false' || text === '0') return false
  return text === '' || text === 'true' || text === '1' ? true : null
}
