import type { BetterAuthOptions } from 'better-auth'
import { Active } from '../shared/user.ts'

/** Maps names in code to names of columns. */
const snake = <K extends string>(...names: K[]) =>
  Object.fromEntries(
    names.map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
  ) as Record<K, string>

/** JSON is stored as text in both databases. */
const jsonText = {
  input: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
  output: (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value),
}

/** Better Auth's models on the tables of our migrations; fields that users may not set have `input: false`. */
export const tables = {
  user: {
    modelName: 'users',
    fields: snake('emailVerified', 'createdAt', 'updatedAt'),
    additionalFields: {
      status: { type: 'number', input: false, defaultValue: Active },
      tags: { type: 'string', required: false, input: false, defaultValue: '[]', transform: jsonText },
      roles: {
        type: 'string',
        required: false,
        input: false,
        defaultValue: '{"Admin":0,"Tools":0}',
        transform: jsonText,
      },
      lastUsageTimestamp: { type: 'date', required: false, input: false, fieldName: 'last_usage_timestamp' },
      logInCount: { type: 'number', input: false, defaultValue: 0, fieldName: 'log_in_count' },
    },
  },
  session: {
    modelName: 'sessions',
    fields: snake('userId', 'expiresAt', 'ipAddress', 'userAgent', 'createdAt', 'updatedAt'),
  },
  account: {
    modelName: 'provider_links',
    fields: snake(
      'providerId',
      'accountId',
      'userId',
      'accessToken',
      'refreshToken',
      'idToken',
      'accessTokenExpiresAt',
      'refreshTokenExpiresAt',
      'createdAt',
      'updatedAt',
    ),
    encryptOAuthTokens: true,
    additionalFields: {
      accountUsername: { type: 'string', required: false, input: false, fieldName: 'account_username' },
    },
  },
  verification: { modelName: 'verifications', fields: snake('expiresAt', 'createdAt', 'updatedAt') },
} satisfies BetterAuthOptions

export const columns = { username: { username: 'cred_username' } } as const
