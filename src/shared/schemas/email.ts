import * as z from 'zod/mini'

/** A local part that needs no quotes, by RFC 5322 (`dot-atom`). */
const mailbox = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domain = /^(?:[a-z0-9][a-z0-9-]*\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]+)$/

/** The stored form of an email: lower case, with its domain in ASCII. Undefined if the email is invalid. */
export function canonicalEmail(text: string): string | undefined {
  // Reject longer input first: normalizing it could take seconds.
  if (text.length > 254) return undefined
  // Reject letters that normalize to others, such as the Kelvin sign: lookalike emails must not count as the same.
  if (text.normalize('NFKC') !== text) return undefined
  const [, localPart = '', right = ''] = /^([\x21-\x7e]+)@([^\s@/?#:\\%[\]]+)$/.exec(text) ?? []
  const isAscii = /^[\x21-\x7e]*$/.test(right)
  const host = isAscii ? right.toLowerCase() : (URL.parse(`http://${right}`)?.hostname ?? '')
  const name = localPart.toLowerCase()
  return mailbox.test(name) && domain.test(host) ? `${name}@${host}` : undefined
}

/** Leaves text that isn't an email unchanged. */
export const canonicalizeEmail = z.overwrite((text: string) => canonicalEmail(text) ?? text)
export const isEmail = (error: string) => z.refine<string>((text) => canonicalEmail(text) !== undefined, { error })

/** The token in a mailed or shared link, as the link's page sends it. */
export const LinkToken = z
  .string({ error: 'Open this page from its link.' })
  .check(z.maxLength(200, { error: 'This is too long.' }))
