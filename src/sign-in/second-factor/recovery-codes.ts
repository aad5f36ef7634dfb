import { randomInt } from 'node:crypto'

const howMany = 10
/** Without the letters and digits that look alike. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const half = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')

/** New recovery codes, such as `k7mqd-2xw9p`: about 50 bits each. */
export const newRecoveryCodes = (): string[] => Array.from({ length: howMany }, () => `${half()}-${half()}`)

/** The codes that are left after this one is used; undefined if it isn't one of them. Case, spaces and hyphens don't matter. */
export function withoutCode(codes: readonly string[], given: string): string[] | undefined {
  const typed = plain(given)
  const left = codes.filter((code) => plain(code) !== typed)
  return left.length < codes.length ? left : undefined
}

const plain = (code: string) => code.toLowerCase().replaceAll(/[\s-]/g, '')
