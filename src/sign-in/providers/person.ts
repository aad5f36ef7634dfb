import * as z from 'zod/mini'
import { NewEmail } from '../../people/contract.ts'
import { cleanName, isVisible } from '../../shared/schemas/names.ts'
import type { Identity } from './provider.ts'

const longestName = 100
/** Not blank, and without control characters, which are invisible or which PostgreSQL can't store. */
export const AccountName = z.string().check(z.maxLength(longestName), z.regex(/^\P{Cc}*[^\p{Cc}\s]\P{Cc}*$/u))

/** The user's name as we store it; without one, their username at the provider. */
export function usableName(name: string | null | undefined, username: string): string {
  const own = cleanName(name ?? '')
  return [...(isVisible(own) ? own : cleanName(username))].slice(0, longestName).join('').trim()
}

/** The user's email as we store it; undefined if we can't use it. Spaces are not trimmed, since nobody typed it. */
export function usableEmail(address: string | null | undefined, verified: boolean): Identity['email'] {
  const parsed = NewEmail.safeParse(address?.trim() === address ? address : undefined)
  return parsed.success ? { address: parsed.data, verified } : undefined
}
