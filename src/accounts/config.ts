import * as z from 'zod'
import { oneOf, text } from '../platform/config/values.ts'

const matching = (pattern: RegExp, rule: string) => z.string().regex(pattern, rule)

const firstAdmin = z
  .object({
    ADMIN_EMAIL: matching(/^[^\s@]+@[^\s@]+$/, 'must be an email address').optional(),
    ADMIN_USERNAME: matching(
      /^[A-Za-z0-9_.-]{3,30}$/,
      'must be 3 to 30 letters, digits, dots, hyphens or underscores',
    ).optional(),
    ADMIN_PASSWORD: matching(/^.{12,128}$/su, 'must have 12 to 128 characters').optional(),
  })
  .transform(({ ADMIN_EMAIL: email, ADMIN_USERNAME: username, ADMIN_PASSWORD: password }, context) => {
    if (email && username && password) return { admin: { email: email.toLowerCase(), username, password } }
    if (email || username || password)
      context.addIssue('ADMIN_EMAIL, ADMIN_USERNAME and ADMIN_PASSWORD belong together: set all three or none.')
    return { admin: undefined }
  })

const signIn = z
  .object({
    SIGN_UP: oneOf('open', 'approval', 'closed').prefault('open'),
    DISCORD_CLIENT_ID: text.optional(),
    DISCORD_CLIENT_SECRET: text.optional(),
    GITHUB_CLIENT_ID: text.optional(),
    GITHUB_CLIENT_SECRET: text.optional(),
  })
  .superRefine((given, context) => {
    for (const provider of ['DISCORD', 'GITHUB'] as const)
      if (!given[`${provider}_CLIENT_ID`] !== !given[`${provider}_CLIENT_SECRET`])
        context.addIssue(`${provider}_CLIENT_ID and ${provider}_CLIENT_SECRET belong together: set both or none.`)
  })
  .transform((given) => ({
    signUp: given.SIGN_UP,
    discord: client(given.DISCORD_CLIENT_ID, given.DISCORD_CLIENT_SECRET),
    github: client(given.GITHUB_CLIENT_ID, given.GITHUB_CLIENT_SECRET),
  }))

/** A provider is offered when both halves are given. */
const client = (id: string | undefined, secret: string | undefined) => (id && secret ? { id, secret } : undefined)

/** Who the first admin is, and who may come in. */
export const accountsVariables = firstAdmin.and(signIn)
export type AccountsConfig = Readonly<z.infer<typeof accountsVariables>>
