import * as z from 'zod/mini'
import { ApiKey, Email, NewEmail, NewPassword, PersonName, SomeRoles, Tags, Username } from '../people/contract.ts'
import { IfUpdatedAt, lastEdit } from '../shared/schemas/edits.ts'
import { inOneForm } from '../shared/schemas/email.ts'
import { AccountStatus, ProviderLink, Roles } from '../shared/schemas/user-shapes.ts'

const listed = {
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  status: z.int(),
  tags: z.array(z.string()),
  roles: Roles,
  credUsername: z.nullable(z.string()),
  /** Whether an authenticator app is asked for at sign-in. */
  secondFactor: z.boolean(),
  /** The ids of the providers with which the user can sign in. */
  providerIds: z.array(z.string()),
  /** Whether the user asked for access, or signed up, and no admin has decided yet. */
  waiting: z.boolean(),
  lastUsageTimestamp: z.nullable(z.int()),
  lastSignInAt: z.nullable(z.int()),
  logInCount: z.int(),
  createdAt: z.int(),
  updatedAt: z.int(),
}
/** A user in the list; `lastUsageTimestamp` and `lastSignInAt` are null before the first one, instants are epoch milliseconds. */
export const ListedUser = z.object(listed)
export type ListedUser = z.infer<typeof ListedUser>

/** A user in full; `entries` is how many entries of all tools the user owns, `sessions` in how many browsers they are signed in. */
export const User = z.object({
  ...listed,
  ...lastEdit,
  providers: z.array(ProviderLink),
  /** Left out for API keys. */
  apiKeys: z.optional(z.array(ApiKey)),
  entries: z.int(),
  /** How many passkeys the user has. */
  passkeys: z.int(),
  sessions: z.int(),
})
export type User = z.infer<typeof User>

/** What the list of users can be narrowed to. */
export const userKinds = ['waiting', 'noRole', 'blocked', 'admins', 'unverified'] as const
export type UserKind = (typeof userKinds)[number]

/** Read-only fields: a body may contain the record as it was read, so these are accepted and ignored. */
const ignored = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, z.optional(z.unknown())])) as Record<never, never>
const readOnly = ignored(
  'providerIds',
  'waiting',
  'lastUsageTimestamp',
  'lastSignInAt',
  'logInCount',
  'createdAt',
  'updatedAt',
  ...Object.keys(lastEdit),
  'emailVerified',
  'apiKeys',
  'entries',
  'secondFactor',
  'passkeys',
  'sessions',
)

export const CreateUserBody = z.strictObject({
  ...readOnly,
  ...ignored('id', 'providers'),
  email: NewEmail,
  name: PersonName,
  credUsername: z.optional(z.nullable(Username)),
  password: z.optional(NewPassword),
  roles: z.optional(SomeRoles),
  tags: z.optional(Tags),
  status: z.optional(AccountStatus),
})
export type CreateUserBody = z.infer<typeof CreateUserBody>

/** Fields that are left out stay as they are; `tags` and `providers` replace the list, and no provider can be added. */
export const PatchUserBody = z.strictObject({
  ...readOnly,
  id: z.string({ error: "Enter the user's ID." }),
  ifUpdatedAt: IfUpdatedAt,
  name: z.optional(PersonName),
  email: z.optional(Email),
  status: z.optional(AccountStatus),
  tags: z.optional(Tags),
  roles: z.optional(SomeRoles),
  providers: z.optional(
    z.array(
      z.strictObject({
        providerId: z.string(),
        accountId: z.string(),
        accountUsername: z.optional(z.nullable(z.string())),
      }),
    ),
  ),
  credUsername: z.optional(z.nullable(Username)),
})
export type PatchUserBody = z.infer<typeof PatchUserBody>

const PasswordForBody = z.strictObject({
  id: z.string({ error: "Enter the user's ID." }),
  password: NewPassword,
})

const plain = z.string().check(z.trim(), z.toLowerCase(), z.maxLength(254, { error: 'This is too long.' }))
const emailQuery = z.string().check(z.trim(), inOneForm, z.maxLength(254, { error: 'This is too long.' }))
const UserQuery = z.object({ email: emailQuery })
const UserId = z.object({ id: z.string() })
/** How many sessions ended. */
const EndedSessions = z.object({ ended: z.int() })

/** The text typed so far; `id` excludes that user. */
const EmailQuery = z.object({ email: emailQuery, id: z.optional(z.string()) })
const UsernameQuery = z.object({ username: plain, id: z.optional(z.string()) })
const Exists = z.object({ exists: z.boolean() })

/** The calls by which admins manage single users. */
export const userCalls = {
  'GET /api/v1/admin/user': { query: UserQuery, answer: User },
  'GET /api/v1/admin/user/emailexistcheck': { query: EmailQuery, answer: Exists },
  'GET /api/v1/admin/user/usernameexistcheck': { query: UsernameQuery, answer: Exists },
  'POST /api/v1/admin/user': { body: CreateUserBody, answer: User, status: 201 },
  'PATCH /api/v1/admin/user': { body: PatchUserBody, answer: User },
  'DELETE /api/v1/admin/user': { query: UserQuery, answer: UserId },
  'PATCH /api/v1/admin/user/password': { body: PasswordForBody, answer: UserId },
  'DELETE /api/v1/admin/user/sessions': { query: UserId, answer: EndedSessions },
  'DELETE /api/v1/admin/user/second-factor': { query: UserId, answer: UserId },
} as const
type UserCalls = typeof userCalls

declare module '../shared/calls.ts' {
  interface Calls extends UserCalls {}
}
