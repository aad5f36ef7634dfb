import * as z from 'zod'
import type { NoticesConfig } from '../notices/config.ts'
import { crossVariableRule, oneOf, text, word } from '../platform/config/values.ts'
import { canonicalEmail } from '../shared/schemas/email.ts'

const matching = (pattern: RegExp, rule: string) => z.string().regex(pattern, rule)

const firstAdmin = z
  .object({
    ADMIN_EMAIL: text.refine((email) => canonicalEmail(email) !== undefined, 'must be an email address').optional(),
    ADMIN_USERNAME: matching(
      /^[A-Za-z0-9_.-]{3,30}$/,
      'must be 3 to 30 letters, digits, dots, hyphens or underscores',
    ).optional(),
    ADMIN_PASSWORD: matching(/^.{12,128}$/su, 'must have 12 to 128 characters').optional(),
  })
  .refine(
    (values) => isAllOrNone(values.ADMIN_EMAIL, values.ADMIN_USERNAME, values.ADMIN_PASSWORD),
    crossVariableRule('ADMIN_EMAIL, ADMIN_USERNAME and ADMIN_PASSWORD belong together: set all three or none.'),
  )
  .transform(({ ADMIN_EMAIL: email, ADMIN_USERNAME: username, ADMIN_PASSWORD: password }) => ({
    admin: email && username && password ? { email: email.toLowerCase(), username, password } : undefined,
  }))

/** Must match the provider's issuer exactly, so even a trailing slash is kept. */
const issuer = z.string().refine((value) => {
  const url = URL.parse(value)
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#\s]/.test(value)
}, 'must be a URL such as https://id.example.com')

/** The variables that must be set before a provider is offered. */
const providerVariables = {
  Discord: ['DISCORD_CLIENT_ID', 'DISCORD_CLIENT_SECRET'],
  GitHub: ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
  OpenID: ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
} as const

const signIn = z
  .object({
    SIGN_UP: oneOf('open', 'approval', 'closed').prefault('open'),
    SIGN_UP_TOOLS: oneOf('0', '1').prefault('0'),
    REQUIRE_SECOND_FACTOR: oneOf('none', 'admins', 'all').prefault('none'),
    DISCORD_CLIENT_ID: text.optional(),
    DISCORD_CLIENT_SECRET: text.optional(),
    GITHUB_CLIENT_ID: text.optional(),
    GITHUB_CLIENT_SECRET: text.optional(),
    OIDC_ISSUER: issuer.optional(),
    OIDC_CLIENT_ID: text.optional(),
    OIDC_CLIENT_SECRET: text.optional(),
    OIDC_NAME: matching(/^\P{Cc}{1,40}$/u, 'must have 1 to 40 characters').prefault('OpenID'),
    OIDC_SCOPES: matching(
      /^(?:[\x21-\x7e]+ )*openid(?: [\x21-\x7e]+)*$/,
      'must be scopes separated by spaces, openid among them',
    ).prefault('openid email profile'),
    OIDC_ROLES_CLAIM: word.optional(),
  })
  .transform((values) => {
    const oidcClient = client(values.OIDC_CLIENT_ID, values.OIDC_CLIENT_SECRET)
    return {
      signUp: values.SIGN_UP,
      /** The Tools level of users who sign up with a provider. */
      signUpTools: values.SIGN_UP_TOOLS === '1' ? (1 as const) : (0 as const),
      requireSecondFactor: values.REQUIRE_SECOND_FACTOR,
      discord: client(values.DISCORD_CLIENT_ID, values.DISCORD_CLIENT_SECRET),
      github: client(values.GITHUB_CLIENT_ID, values.GITHUB_CLIENT_SECRET),
      /** Any OpenID provider; `rolesClaim` names the claim that sets role levels. */
      oidc:
        values.OIDC_ISSUER !== undefined && oidcClient
          ? {
              issuer: values.OIDC_ISSUER,
              client: oidcClient,
              name: values.OIDC_NAME,
              scopes: values.OIDC_SCOPES.split(' '),
              rolesClaim: values.OIDC_ROLES_CLAIM,
            }
          : undefined,
      /** Providers with only some of their variables set; they are not offered. */
      halfProviders: Object.entries(providerVariables).flatMap(([name, variables]) => {
        const unset = variables.filter((variable) => values[variable] === undefined)
        return unset.length > 0 && unset.length < variables.length ? [{ name, unset }] : []
      }),
    }
  })

const isAllOrNone = (...values: unknown[]) => new Set(values.map((one) => one === undefined)).size === 1

const client = (id: string | undefined, secret: string | undefined) => (id && secret ? { id, secret } : undefined)

export const signInVariables = firstAdmin.and(signIn)
export type SignInConfig = NoticesConfig & Readonly<z.infer<typeof signInVariables>>
