import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import * as z from 'zod'
import { days, hours, type Milliseconds, minutes, seconds } from '../../shared/time.ts'

// Schemas of single variables. Every message continues the sentence "NAME …".

export const text = z.string()

/** Text that fits into a header. */
export const word = z.string().regex(/^[\x21-\x7e]+$/, 'must be ASCII characters without spaces')

export const wholeNumber = (least: number, most: number) => {
  const rule = `must be a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule)
}

export const oneOf = <const T extends string>(...choices: T[]) =>
  z.enum(choices, `must be one of ${choices.join(', ')}`)

export const atLeast = (characters: number) => z.string().min(characters, `must have at least ${characters} characters`)

const units: Record<string, Milliseconds> = { ms: 1, s: seconds(1), m: minutes(1), h: hours(1), d: days(1) }

/** A duration such as `28m`, `12h`, `90s`, `500ms` or `7d`; more than zero and at most this long. */
export const durationUpTo = (most: string) =>
  z
    .string()
    .transform(readDuration)
    .refine(
      (value) => value > 0 && value <= readDuration(most),
      `must be a duration such as 90s, 28m, 12h or 500ms, and at most ${most}`,
    )
export const duration = durationUpTo('365d')

function readDuration(value: string): Milliseconds {
  const [, count, unit = ''] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(value) ?? []
  return Number(count) * (units[unit] ?? 0)
}

const listOf = <T>(item: z.ZodType<T, string>, kind: string) =>
  z
    .string()
    .transform((list, context) =>
      list.split(',').map((part) => {
        const text = part.trim()
        const read = item.safeParse(text)
        if (read.success) return read.data
        context.addIssue(text === '' ? 'contains an empty item' : `contains "${text}", which is not ${kind}`)
        return z.NEVER
      }),
    )
    .readonly()

export const durations = listOf(duration, 'a duration of at most 365d, such as 90s or 28m')

/** An http(s) address without a trailing slash, query or user info. */
export const webAddress = z
  .string()
  .refine((address) => {
    const url = URL.canParse(address) ? new URL(address) : undefined
    return url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash
  }, 'must be a URL such as https://example.com')
  .transform((address) => {
    const { origin, pathname } = new URL(address)
    return (origin + pathname).replace(/\/+$/, '')
  })

/** A web address with only scheme, host and port, since ToolBox is served at the root of its host. */
export const webOrigin = webAddress.refine(
  (address) => address === new URL(address).origin,
  'must contain only scheme, host and port',
)

const certificateFiles = ['sslrootcert', 'sslcert', 'sslkey']

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** A postgres:// URL. The files it names must be readable; its sslmode gets the meaning it has in libpq. */
export const postgresUrl = z.string().transform((value, context) => {
  // A parameter may name the host, but a URL with a user can't be parsed without one.
  const url = URL.parse(value.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/:?])/, '$1localhost'))
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) {
    context.addIssue('must be a postgres://… URL; leave it unset for SQLite')
    return z.NEVER
  }
  const { searchParams } = url
  for (const name of certificateFiles) {
    const file = searchParams.get(name)
    if (file && !isReadable(file)) context.addIssue(`names ${file} as its ${name}, which cannot be read`)
  }
  const [mode, ssl] = [searchParams.get('sslmode'), searchParams.get('ssl')]
  const choice = `write sslmode=${sslModes.slice(0, -1).join(', ')} or ${sslModes.at(-1)}`
  if (ssl !== null && !['true', '1', '0'].includes(ssl)) context.addIssue(`has ssl=${ssl}; ${choice}`)
  if (mode === null) return url.href
  if (!sslModes.includes(mode)) context.addIssue(`has sslmode=${mode}; ${choice}`)
  if (mode === 'verify-ca' && !searchParams.get('sslrootcert'))
    context.addIssue('has sslmode=verify-ca, so its sslrootcert must name the file of a certificate authority')
  // Otherwise the driver treats both as verify-full.
  if (mode === 'require' || mode === 'verify-ca') searchParams.set('uselibpqcompat', 'true')
  return url.href
})

function isReadable(file: string): boolean {
  try {
    readFileSync(file)
    return true
  } catch {
    return false
  }
}

/** A CIDR block; a single address is a block of one. */
const cidr = z.string().transform((range, context) => {
  const [address = '', prefix, ...more] = range.split('/')
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  const bits = prefix ?? String(longest)
  if (more.length === 0 && !address.includes('%') && /^\d{1,3}$/.test(bits) && Number(bits) <= longest)
    return `${address}/${bits}`
  context.addIssue('must be an address range')
  return z.NEVER
})
export const cidrs = listOf(cidr, 'an address range such as 10.0.0.0/8')

const hops = wholeNumber(1, 100)

/** A hop count, or the address ranges of the proxies; false for none. */
export const proxies = z.string().transform((value, context): false | number | readonly string[] => {
  if (value === '0' || value === 'false') return false
  const read = (/^\d+$/.test(value) ? hops : cidrs).safeParse(value)
  if (read.success) return read.data
  for (const { message } of read.error.issues) context.addIssue(message)
  return z.NEVER
})

/** Options of a rule about several variables: it is checked even if one of them is invalid. */
export const crossVariableRule = (sentence: string) => ({ error: sentence, when: () => true })
