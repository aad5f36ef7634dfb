import * as z from 'zod/mini'
import { ApiKey, Email, NewEmail, NewPassword, PersonName, SomeRoles, Tags, Username } from '../people/contract.ts'
import type { ColumnTerms } from '../shared/list-terms.ts'
import { idsOf, RefusedIds } from '../shared/schemas/bulk.ts'
import { IfUpdatedAt, ignored, lastEdit } from '../shared/schemas/edits.ts'
import { canonicalizeEmail } from '../shared/schemas/email.ts'
import { AccountStatus, ProviderLink, SessionUser } from '../shared/schemas/user-shapes.ts'

const listed = {
  ...z.omit(SessionUser, { providers: true, mustSetUp: true }).shape,
  /** Whether sign-in requires a code from an authenticator app. */
  secondFactor: z.boolean(),
  providerIds: z.array(z.string()),
  /** Whether the user's sign-up or access request awaits an admin's decision. */
  waiting: z.boolean(),
  lastUsageTimestamp: z.nullable(z.int()),
  lastSignInAt: z.nullable(z.int()),
  logInCount: z.int(),
  createdAt: z.int(),
  updatedAt: z.int(),
}
/** Times are epoch milliseconds; `lastUsageTimestamp` and `lastSignInAt` are null before the first use or sign-in. */
export const ListedUser = z.object(listed)
export type ListedUser = z.infer<typeof ListedUser>

/** A user in full; `entries` counts the user's entries in all tools, `sessions` their signed-in browsers. */
export const User = z.object({
  ...listed,
  ...lastEdit,
  providers: z.array(ProviderLink),
  /** Omitted when the caller uses an API key. */
  apiKeys: z.optional(z.array(ApiKey)),
  entries: z.int(),
  passkeys: z.int(),
  sessions: z.int(),
})
export type User = z.infer<typeof User>

export const userKinds = ['waiting', 'noRole', 'blocked', 'admins', 'unverified'] as const
export type UserKind = (typeof userKinds)[number]

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

/** Omitted fields stay unchanged; `tags` and `providers` replace the whole list, and providers can only be removed. */
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
const emailQuery = z.string().check(z.trim(), canonicalizeEmail, z.maxLength(254, { error: 'This is too long.' }))
const UserQuery = z.object({ email: emailQuery })
const UserId = z.object({ id: z.string() })
const EndedSessions = z.object({ ended: z.int() })

/** The text typed so far. A check excludes the user with this `id`; a deletion is refused for any other user. */
const EmailQuery = z.object({ email: emailQuery, id: z.optional(z.string()) })
const UsernameQuery = z.object({ username: plain, id: z.optional(z.string()) })
const Exists = z.object({ exists: z.boolean() })

export const userCalls = {
  'GET /api/v1/admin/user': { query: UserQuery, answer: User },
  'GET /api/v1/admin/user/emailexistcheck': { query: EmailQuery, answer: Exists },
  'GET /api/v1/admin/user/usernameexistcheck': { query: UsernameQuery, answer: Exists },
  'POST /api/v1/admin/user': { body: CreateUserBody, answer: User, status: 201 },
  'PATCH /api/v1/admin/user': { body: PatchUserBody, answer: User },
  'DELETE /api/v1/admin/user': { query: EmailQuery, answer: UserId },
  'PATCH /api/v1/admin/user/password': { body: PasswordForBody, answer: UserId },
  'DELETE /api/v1/admin/user/sessions': { query: UserId, answer: EndedSessions },
  'DELETE /api/v1/admin/user/second-factor': { query: UserId, answer: UserId },
} as const

const ids = idsOf('user', 'users')

/** `tags` replaces all tags of each user; `addTags` and `removeTags` leave other tags alone. */
const ChangeUsersBody = z
  .strictObject({
    ids,
    status: z.optional(AccountStatus),
    roles: z.optional(SomeRoles),
    tags: z.optional(Tags),
    addTags: z.optional(Tags),
    removeTags: z.optional(Tags),
  })
  .check(z.refine(({ ids: _, ...change }) => Object.keys(change).length > 0, { error: 'Say what to change.' }))
export type ChangeUsersBody = z.infer<typeof ChangeUsersBody>

/** `changed` follows the order of `ids`; `unchanged` is its subset that already had these values, omitted if empty. */
const ChangeUsersAnswer = z.object({
  changed: z.array(z.string()),
  unchanged: z.optional(z.array(z.string())),
  refused: RefusedIds,
})
export type ChangeUsersAnswer = z.infer<typeof ChangeUsersAnswer>

const DeleteUsersBody = z.strictObject({ ids, act: z.literal('delete', { error: 'Use delete.' }) })
const DeleteUsersAnswer = z.object({ done: z.array(z.string()), refused: RefusedIds })
export type DeleteUsersAnswer = z.infer<typeof DeleteUsersAnswer>

const UserIds = z.strictObject({ ids })
/** Totals for a set of users: how many still exist, are active and have an Admin level, and what they own. */
const UsersTogether = z.object({
  users: z.int(),
  active: z.int(),
  admins: z.int(),
  entries: z.int(),
  sessions: z.int(),
})
export type UsersTogether = z.infer<typeof UsersTogether>

export const bulkUserCalls = {
  'PATCH /api/v1/admin/users': { body: ChangeUsersBody, answer: ChangeUsersAnswer },
  'POST /api/v1/admin/users/bulk': { body: DeleteUsersBody, answer: DeleteUsersAnswer },
  'POST /api/v1/admin/users/together': { body: UserIds, answer: UsersTogether },
} as const

/** In the order of the list. */
export const userColumnTerms = {
  id: { title: 'User ID', search: 'fuzzy' },
  lastUsageTimestamp: { title: 'Last Usage Timestamp', search: 'time' },
  name: { title: 'Account Name', search: 'fuzzy' },
  email: { title: 'Email', search: 'fuzzy' },
  roles: { title: 'Roles', search: 'includes' },
  tags: { title: 'Tags', search: 'includes' },
  providers: { title: 'Providers', search: 'includes' },
  status: { title: 'Status', search: 'word' },
  lastSignInAt: { title: 'Last Sign-in', search: 'time' },
} as const satisfies Record<string, ColumnTerms>

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof userCalls & typeof bulkUserCalls> {}
}
