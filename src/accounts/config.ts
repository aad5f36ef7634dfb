import * as z from 'zod'
import { oneOf, text, together } from '../platform/config/values.ts'
import { channelVariables } from './channels/config.ts'

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
  .refine(
    (given) => isAllOrNone(given.ADMIN_EMAIL, given.ADMIN_USERNAME, given.ADMIN_PASSWORD),
    together('ADMIN_EMAIL, ADMIN_USERNAME and ADMIN_PASSWORD belong together: set all three or none.'),
  )
  .transform(({ ADMIN_EMAIL: email, ADMIN_USERNAME: username, ADMIN_PASSWORD: password }) => ({
    admin: email && username && password ? { email: email.toLowerCase(), username, password } : undefined,
  }))

const signIn = z
  .object({
    SIGN_UP: oneOf('open', 'approval', 'closed').prefault('open'),
    REQUIRE_SECOND_FACTOR: oneOf('none', 'admins', 'all').prefault('none'),
    DISCORD_CLIENT_ID: text.optional(),
    DISCORD_CLIENT_SECRET: text.optional(),
    GITHUB_CLIENT_ID: text.optional(),
    GITHUB_CLIENT_SECRET: text.optional(),
  })
  .transform((given) => ({
    signUp: given.SIGN_UP,
    requireSecondFactor: given.REQUIRE_SECOND_FACTOR,
    discord: client(given.DISCORD_CLIENT_ID, given.DISCORD_CLIENT_SECRET),
    github: client(given.GITHUB_CLIENT_ID, given.GITHUB_CLIENT_SECRET),
    /** The providers of which only one variable is set, so that they are not offered. */
    halfProviders: (['DISCORD', 'GITHUB'] as const).filter(
      (name) => !isAllOrNone(given[`${name}_CLIENT_ID`], given[`${name}_CLIENT_SECRET`]),
    ),
  }))

const isAllOrNone = (...given: unknown[]) => new Set(given.map((one) => one === undefined)).size === 1

/** A provider is enabled if both its variables are set. */
const client = (id: string | undefined, secret: string | undefined) => (id && secret ? { id, secret } : undefined)

/** The variables of the first admin, of sign-in and of channels. */
export const accountsVariables = firstAdmin.and(signIn).and(channelVariables)
export type AccountsConfig = Readonly<z.infer<typeof accountsVariables>>
