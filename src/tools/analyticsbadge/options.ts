import * as z from 'zod/mini'
import { type Look, LookQuery, type Problem, readLook, readOneOf } from '../../platform/badge/look.ts'
import { longestTag, type Period, periods } from './terms.ts'

export type Options = Look & {
  abbreviated: boolean
  /** Undefined shows all views. */
  period: Period | undefined
}
export const BadgeQuery = z.extend(LookQuery, { abbreviated: z.optional(z.string()) })

export const wrongTag = 'tag: use letters, digits and _'
export function readTag(text: string): string | Problem {
  if (text.length > longestTag) return { problem: `tag over ${longestTag} characters` }
  return /^[A-Za-z0-9_]+$/.test(text) ? text : { problem: wrongTag }
}

const defaults = readQuery(new URLSearchParams())
export function readOptions(url: string): Options | Problem {
  const at = url.indexOf('?')
  return at < 0 ? defaults : readQuery(new URLSearchParams(url.slice(at + 1)))
}

/** Unknown parameters are ignored. */
function readQuery(query: URLSearchParams): Options | Problem {
  const look = readLook(query, ['abbreviated', 'period'])
  if ('problem' in look) return look
  const abbreviated = readSwitch(query.get('abbreviated'))
  if (abbreviated === null) return { problem: 'abbreviated: true or false' }
  const period = readOneOf(periods, query.get('period'))
  return period === null ? { problem: 'unknown period' } : { ...look, abbreviated, period }
}

function readSwitch(text: string | null): boolean | null {
  if (text === null || text === 'false' || text === '0') return false
  return text === '' || text === 'true' || text === '1' ? true : null
}
