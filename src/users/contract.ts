import * as z from 'zod/mini'

export const passwordLength = { min: 12, max: 128 } as const
/** Characters as people count them, not UTF-16 units. */
export const lengthOf = (text: string): number => [...text].length

export const Email = z
  .string({ error: 'Give an e-mail address.' })
  .check(
    z.trim(),
    z.toLowerCase(),
    z.maxLength(254, { error: 'Keep the e-mail address within 254 characters.' }),
    z.email({ error: 'Give an e-mail address, such as ada@example.com.' }),
  )

/** Case is ignored: names are kept in lower case. */
export const Username = z
  .string({ error: 'Give a user name.' })
  .check(
    z.trim(),
    z.toLowerCase(),
    z.regex(/^[a-z0-9_.-]{3,30}$/, { error: 'Use 3 to 30 letters, digits, dots, hyphens or underscores.' }),
  )

export const PersonName = z
  .string({ error: 'Give a name.' })
  .check(
    z.trim(),
    z.minLength(1, { error: 'Give a name.' }),
    z.maxLength(100, { error: 'Keep the name within 100 characters.' }),
  )

/** A password to be set; whether it is a common one or one's own name is for the server to say. */
export const NewPassword = z.string({ error: 'Give a password.' }).check(
  z.refine((text) => lengthOf(text) >= passwordLength.min, {
    error: `Use at least ${passwordLength.min} characters.`,
    abort: true,
  }),
  z.refine((text) => lengthOf(text) <= passwordLength.max, {
    error: `Use at most ${passwordLength.max} characters.`,
  }),
)
