import * as z from 'zod/mini'

export const passwordLength = { min: 12, max: 128 } as const
/** Characters as people count them, not UTF-16 units. */
export const lengthOf = (text: string): number => [...text].length

export const Email = z.string({ error: 'Enter an email.' }).check(
  z.trim(),
  // Before the case is folded: the Kelvin sign would become a plain k, and another mailbox this one.
  z.regex(/^[\x20-\x7e]*$/, { error: 'Enter an email, such as ada@example.com.', abort: true }),
  z.toLowerCase(),
  z.maxLength(254, { error: 'Use at most 254 characters.' }),
  z.email({ error: 'Enter an email, such as ada@example.com.' }),
)

/** Case is ignored: names are kept in lower case. */
export const Username = z
  .string({ error: 'Enter a username.' })
  .check(
    z.trim(),
    z.toLowerCase(),
    z.regex(/^[a-z0-9_.-]{3,30}$/, { error: 'Use 3 to 30 letters, digits, dots, hyphens or underscores.' }),
  )

export const PersonName = z
  .string({ error: 'Enter a name.' })
  .check(
    z.trim(),
    z.minLength(1, { error: 'Enter a name.' }),
    z.maxLength(100, { error: 'Use at most 100 characters.' }),
    z.regex(/^\P{Cc}*$/u, { error: "The name can't contain control characters." }),
  )

/** A password to be set; whether it is a common one or one's own name is for the server to say. */
export const NewPassword = z.string({ error: 'Enter a password.' }).check(
  z.refine((text) => lengthOf(text) >= passwordLength.min, {
    error: `Use at least ${passwordLength.min} characters.`,
    abort: true,
  }),
  z.refine((text) => lengthOf(text) <= passwordLength.max, {
    error: `Use at most ${passwordLength.max} characters.`,
  }),
)

/** Where a provider's accounts show themselves; `{id}` and `{username}` stand for the account's. */
export type ProviderName = { name: string; url: string }
/** The provider that stands for a username with a password. */
export const credentialsProvider = '003_Credentials'

/** Every provider an account may have come from, by its id, whether or not it is configured here. */
export const providerCatalogue = (at: { discordUrl: string; githubUrl: string }): Record<string, ProviderName> => ({
  '001_Discord': { name: 'Discord', url: `${at.discordUrl}/users/{id}` },
  '002_Github': { name: 'GitHub', url: `${at.githubUrl}/{username}` },
  [credentialsProvider]: { name: 'Credentials', url: '/user' },
})

export const scopes = ['read', 'write'] as const
/** An API key as it may be looked at; `expiresAt` null is never. Instants are epoch milliseconds. */
export const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  last4: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: z.int(),
  lastUsedAt: z.nullable(z.int()),
  expiresAt: z.nullable(z.int()),
})
export type ApiKey = z.infer<typeof ApiKey>
