import * as z from 'zod/mini'
import { pages } from '../shared/pages.ts'
import { canonicalizeEmail, isEmail } from '../shared/schemas/email.ts'
import { withoutControls, withVisible } from '../shared/schemas/names.ts'
import { Level } from '../shared/schemas/user-shapes.ts'
import { knownTags } from '../shared/user.ts'

export const passwordLength = { min: 12, max: 128 } as const
/** Counts characters, not UTF-16 units. */
export const lengthOf = (text: string): number => [...text].length

export const Email = z
  .string({ error: 'Enter an email.' })
  .check(
    z.trim(),
    canonicalizeEmail,
    z.maxLength(254, { error: 'Use at most 254 characters.' }),
    isEmail('Enter an email, such as ada@example.com.'),
  )

const placeholderDomain = '@unverified.invalid'
/** The placeholder for the email of a user whose own email now belongs to another user. */
export const placeholderEmail = (userId: string): string => `${userId}${placeholderDomain}`
export const isPlaceholderEmail = (email: string): boolean => email.endsWith(placeholderDomain)
export const reservedEmail = `Emails that end in ${placeholderDomain} are reserved.`
export const NewEmail = Email.check(z.refine((email) => !isPlaceholderEmail(email), { error: reservedEmail }))

export const usernameRule = '3 to 30 letters, digits, dots, hyphens or underscores.'

/** Case is ignored: usernames are stored in lower case. */
export const Username = z
  .string({ error: 'Enter a username.' })
  .check(z.trim(), z.toLowerCase(), z.regex(/^[a-z0-9_.-]{3,30}$/, { error: `Use ${usernameRule}` }))

export const PersonName = z
  .string({ error: 'Enter a name.' })
  .check(z.trim(), withVisible, z.maxLength(100, { error: 'Use at most 100 characters.' }), withoutControls)

/** A new password; only the server checks whether it is common or the user's own name. */
export const NewPassword = z.string({ error: 'Enter a password.' }).check(
  z.refine((text) => lengthOf(text) >= passwordLength.min, {
    error: `Use at least ${passwordLength.min} characters.`,
    abort: true,
  }),
  z.refine((text) => lengthOf(text) <= passwordLength.max, {
    error: `Use at most ${passwordLength.max} characters.`,
  }),
)

export const knownTagsMessage = `Use only these tags: ${knownTags.join(', ')}.`
export const Tags = z
  .array(z.enum(knownTags, { error: knownTagsMessage }))
  .check(z.refine((tags) => new Set(tags).size === tags.length, { error: 'Use each tag only once.' }))
/** Omitted roles stay unchanged. */
export const SomeRoles = z.partial(z.strictObject({ Admin: Level, Tools: Level }))

/** A provider's label and the URL of its profiles, with `{id}` and `{username}` as placeholders. */
type ProviderName = { name: string; url: string }
/** The provider id for a username with a password. */
export const credentialsProvider = '003_Credentials'
/** A username alone is not enough: an admin can set it before a password. */
export const hasPassword = ({ providers }: { providers: readonly { providerId: string }[] }): boolean =>
  providers.some(({ providerId }) => providerId === credentialsProvider)

/** The id of an OpenID account. Subjects are unique only per issuer, so a new issuer must not match old accounts. */
export const accountIdOf = (issuer: string, sub: string): string => `${issuer}#${sub}`

/** Every supported provider by id, whether or not it is configured. */
export const providerCatalogue = (at: {
  discordUrl: string
  githubUrl: string
  oidc?: { name: string; issuer: string } | undefined
}): Record<string, ProviderName> => ({
  '001_Discord': { name: 'Discord', url: `${at.discordUrl}/users/{id}` },
  '002_Github': { name: 'GitHub', url: `${at.githubUrl}/{username}` },
  [credentialsProvider]: { name: 'Credentials', url: pages.profile.path },
  // OpenID accounts have no standard profile URL, so link to the issuer.
  '004_OIDC': { name: at.oidc?.name ?? 'OpenID', url: at.oidc?.issuer ?? '' },
})

export const scopes = ['read', 'write'] as const
/** An API key without its secret; `expiresAt` is null if it never expires. Instants are epoch milliseconds. */
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
