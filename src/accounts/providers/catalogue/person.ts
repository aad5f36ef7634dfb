import * as z from 'zod/mini'
import { Email } from '../../users/contract.ts'
import type { Identity } from './provider.ts'

const longestName = 100
/** Neither empty nor blank, and without control characters, which PostgreSQL keeps in no text or nobody sees. */
export const AccountName = z.string().check(z.maxLength(longestName), z.regex(/^\P{Cc}*[^\p{Cc}\s]\P{Cc}*$/u))

/** A person's name as we keep names; the account's own when there is none. */
export function usableName(name: string | null | undefined, username: string): string {
  const visible = name?.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return [...(visible || username.trim())].slice(0, longestName).join('').trim()
}

/** An email address as we keep them; one that is none of ours to use counts as none. What a provider names is nobody's typing: it is taken exactly. */
export function usableEmail(address: string | null | undefined, verified: boolean): Identity['email'] {
  const parsed = Email.safeParse(address?.trim() === address ? address : undefined)
  return parsed.success ? { address: parsed.data, verified } : undefined
}
