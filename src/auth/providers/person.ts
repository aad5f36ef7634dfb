import * as z from 'zod/mini'
import { Email } from '../../users/contract.ts'
import type { Identity } from './provider.ts'

const longestName = 100
export const AccountName = z.string().check(z.minLength(1), z.maxLength(longestName))

/** A person's name as we keep names; the account's own when there is none. */
export const usableName = (name: string | null | undefined, username: string): string =>
  [...(name?.trim() || username)].slice(0, longestName).join('')

/** An e-mail address as we keep them; one that is none of ours to use counts as none. */
export function usableEmail(address: string | null | undefined, verified: boolean): Identity['email'] {
  const parsed = Email.safeParse(address)
  return parsed.success ? { address: parsed.data, verified } : undefined
}
