import * as z from 'zod/mini'

/** What may stand on the left without quotation marks, by RFC 5322 (`dot-atom`). */
const mailbox = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domain = /^(?:[a-z0-9][a-z0-9-]*\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]+)$/

/**
 * The one form in which an email is stored and compared: in lower case, an internationalised domain in ASCII. Undefined if
 * it is no email.
 */
export function canonicalEmail(text: string): string | undefined {
  // What is longer is none, and could take seconds to fold.
  if (text.length > 254) return undefined
  // No letters that only fold into others, such as the Kelvin sign: an email that looks like another one is not that one.
  if (text.normalize('NFKC') !== text) return undefined
  const [, left = '', right = ''] = /^([\x21-\x7e]+)@([^\s@/?#:\\%[\]]+)$/.exec(text) ?? []
  const isAscii = /^[\x21-\x7e]*$/.test(right)
  const host = isAscii ? right.toLowerCase() : (URL.parse(`http://${right}`)?.hostname ?? '')
  const name = left.toLowerCase()
  return mailbox.test(name) && domain.test(host) ? `${name}@${host}` : undefined
}

/** Checks of a text that is an email, or is looked for among emails. */
export const inOneForm = z.overwrite((text: string) => canonicalEmail(text) ?? text)
export const isEmail = (error: string) => z.refine<string>((text) => canonicalEmail(text) !== undefined, { error })

/** The token of a link that was mailed or handed over, as its page sends it. */
export const LinkToken = z
  .string({ error: 'Open this page from its link.' })
  .check(z.maxLength(200, { error: 'This is too long.' }))
