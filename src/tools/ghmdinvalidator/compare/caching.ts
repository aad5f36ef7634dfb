import type { Instant } from '../../../shared/time.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** The directives of a Cache-Control header, in lower case; one without a value has an empty one. */
function directivesOf(header = ''): Map<string, string> {
  const parts = header.toLowerCase().split(',')
  return new Map(
    parts.map((part): [string, string] => {
      const [name = '', value = ''] = part.split('=')
      return [name.trim(), value.trim().replace(/^"|"$/g, '')]
    }),
  )
}

const wholeSeconds = (text: string | undefined) => (/^\d{1,10}$/.test(text?.trim() ?? '') ? Number(text) : undefined)

/** What in these headers forbids a cache to keep the answer, as it stands there; undefined if nothing does. */
export function forbidsKeeping(headers: Headers, now: Instant): string | undefined {
  const control = directivesOf(headers['cache-control'])
  const said = ['no-store', 'no-cache', 'private'].find((name) => control.has(name))
  if (said) return said
  // For a cache that many share, its own directive counts.
  for (const name of ['s-maxage', 'max-age']) {
    const age = wholeSeconds(control.get(name))
    if (age !== undefined) return age === 0 ? `${name}=0` : undefined
  }
  if (headers.pragma?.toLowerCase().includes('no-cache')) return 'Pragma: no-cache'
  const { expires } = headers
  return expires !== undefined && !(Date.parse(expires) > now) ? `Expires: ${expires.slice(0, 40)}` : undefined
}

/** How long caches may keep an answer, in words; undefined if its headers don't say. */
export function keptFor(headers: Headers, now: Instant): string | undefined {
  const control = directivesOf(headers['cache-control'])
  for (const name of ['s-maxage', 'max-age']) {
    const age = wholeSeconds(control.get(name))
    if (age) return `lets caches keep it for ${inWords(age)} (${name}=${age})`
  }
  const left = Math.round((Date.parse(headers.expires ?? '') - now) / 1_000)
  return left > 0 ? `lets caches keep it for ${inWords(left)} (Expires)` : undefined
}

/** The headers by which caches say that an answer came out of them. */
const cacheHeaders = [
  'cf-cache-status',
  'x-vercel-cache',
  'x-nf-cache-status',
  'x-cache',
  'x-cache-status',
  'x-proxy-cache',
  'x-nginx-cache',
  'cache-status',
]

/** Whether the image's own server answers out of a cache, in words; undefined if nothing says so. */
export function ownCache(headers: Headers): string | undefined {
  const age = wholeSeconds(headers.age)
  if (age) return `answers from a cache of its own, ${inWords(age)} old (Age: ${age})`
  const name = cacheHeaders.find((one) => /\bhit\b|\bstale\b/i.test(headers[one] ?? ''))
  return name && `answers from a cache of its own (${name}: ${headers[name]?.slice(0, 60)})`
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** So many seconds in the largest unit of which there are two, or one of a day. */
export function inWords(count: number): string {
  const [unit, length] = units.find(([name, each]) => count >= (name === 'day' ? 2 * each : each)) ?? units[3]
  const number = Math.round(count / length)
  return number === 1 ? `1 ${unit}` : `${number} ${unit}s`
}
