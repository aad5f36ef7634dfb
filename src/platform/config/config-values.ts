import { isIP } from 'node:net'
import { days, hours, type Milliseconds, minutes, seconds } from '../../shared/time.ts'

/** Reads one value; throws an Error whose message ends the sentence "NAME …". */
export type Read<T> = (text: string) => T

const reject = (why: string): never => {
  throw new Error(why)
}

export const words: Read<string> = (text) => text

export const wholeNumber =
  (least: number, most: number): Read<number> =>
  (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= least && value <= most ? value : reject(`must be a whole number from ${least} to ${most}`)
  }

export const oneOf =
  <const T extends string>(...choices: T[]): Read<T> =>
  (text) =>
    choices.find((choice) => choice === text) ?? reject(`must be one of ${choices.join(', ')}`)

export const atLeast =
  (characters: number): Read<string> =>
  (text) =>
    text.length >= characters ? text : reject(`must have at least ${characters} characters`)

export const matching =
  (pattern: RegExp, rule: string): Read<string> =>
  (text) =>
    pattern.test(text) ? text : reject(rule)

const units: Record<string, Milliseconds> = { ms: 1, s: seconds(1), m: minutes(1), h: hours(1), d: days(1) }

/** `28m`, `12h`, `90s`, `500ms` or `7d`; more than nothing and at most a year. */
export const duration: Read<Milliseconds> = (text) => {
  const [, count, unit = ''] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? []
  const value = Number(count) * (units[unit] ?? Number.NaN)
  return value > 0 && value <= days(365) ? value : reject('must be a duration such as 90s, 28m, 12h or 500ms')
}

export const listOf =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(read)

/** An http(s) address without a trailing slash, query or user info. */
export const webAddress: Read<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash
  return plain
    ? (url.origin + url.pathname).replace(/\/+$/, '')
    : reject('must be an address such as https://example.com')
}

/** A web address of scheme, host and port only: ToolBox answers at the root of its host. */
export const webOrigin: Read<string> = (text) => {
  const address = webAddress(text)
  return address === new URL(address).origin ? address : reject('must have no path, only scheme, host and port')
}

export const postgresUrl: Read<string> = (text) =>
  URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)
    ? text
    : reject('must be a postgres://… address; leave it out for SQLite')

/** A block of addresses; a single address is a block of one. */
export const cidr: Read<string> = (text) => {
  const [address = '', prefix, ...more] = text.split('/')
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  const bits = prefix ?? String(longest)
  if (more.length > 0 || address.includes('%') || !/^\d{1,3}$/.test(bits) || Number(bits) > longest)
    return reject(`holds "${text}", which is no address range such as 10.0.0.0/8`)
  return `${address}/${bits}`
}

/** A hop count, or the ranges of the proxies. */
export const trust: Read<false | number | readonly string[]> = (text) => {
  if (text === '0' || text === 'false') return false
  return /^\d+$/.test(text) ? wholeNumber(1, 100)(text) : listOf(cidr)(text)
}
