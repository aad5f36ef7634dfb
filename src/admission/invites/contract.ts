import * as z from 'zod/mini'
import { NewEmail, NewPassword, PersonName, SomeRoles, Tags, Username } from '../../people/contract.ts'
import { LinkToken } from '../../shared/schemas/email.ts'
import { Roles } from '../../shared/schemas/user-shapes.ts'

export const mostUses = 100
const usesError = { error: `Use a whole number from 1 to ${mostUses}.` }

/** Omitted roles are level 0. `expiresAt` is in epoch milliseconds and defaults to seven days from now. */
export const NewInviteBody = z.strictObject({
  roles: SomeRoles,
  tags: z.optional(Tags),
  email: z.optional(z.nullable(NewEmail)),
  uses: z.optional(z.int(usesError).check(z.minimum(1, usesError), z.maximum(mostUses, usesError))),
  expiresAt: z.optional(z.int({ error: 'Enter a time in milliseconds.' })),
})
export type NewInviteBody = z.infer<typeof NewInviteBody>

/** A new invitation with the only copy of its link; `mailed` is true if the link is also mailed. */
const MadeInvite = z.object({
  id: z.string(),
  url: z.string(),
  mailed: z.boolean(),
})
export type MadeInvite = z.infer<typeof MadeInvite>

/** `over` means expired, `stopped` that its creator may no longer invite. */
const inviteStates = ['open', 'used up', 'over', 'stopped'] as const

/** `mailNote`: why the mail isn't accepted yet. `createdBy`: a name, null for a deleted user. Times are epoch ms. */
const Invite = z.object({
  id: z.string(),
  state: z.enum(inviteStates),
  roles: Roles,
  tags: z.array(z.string()),
  email: z.nullable(z.string()),
  mailed: z.boolean(),
  mailNote: z.nullable(z.string()),
  uses: z.int(),
  used: z.int(),
  expiresAt: z.int(),
  createdBy: z.nullable(z.string()),
  createdAt: z.int(),
})
export type Invite = z.infer<typeof Invite>

const InviteId = z.object({ id: z.string() })

/** What an invited visitor sees before signing in. `by` is null for the command line or a deleted user. */
const Invitation = z.object({ by: z.nullable(z.string()), roles: Roles, tags: z.array(z.string()), expiresAt: z.int() })
export type Invitation = z.infer<typeof Invitation>

type Join = { name: string; email: string; username: string; password: string }
const missing = {
  name: 'Enter a name.',
  email: 'Enter an email.',
  username: 'Enter a username.',
  password: 'Enter a password.',
} satisfies Join
const fields = Object.keys(missing) as (keyof Join)[]

/** Either the token alone, for the current session or the next sign-in, or all fields, which create a user. */
export const UseInviteBody = z
  .strictObject({
    token: LinkToken,
    name: z.optional(PersonName),
    email: z.optional(NewEmail),
    username: z.optional(Username),
    password: z.optional(NewPassword),
  })
  .check(
    ...fields.map((field) =>
      z.refine<{ [Field in keyof Join]?: string | undefined }>(
        (body) => body[field] !== undefined || fields.every((one) => body[one] === undefined),
        { error: missing[field], path: [field] },
      ),
    ),
  )
export type UseInviteBody = z.infer<typeof UseInviteBody>
export type JoinBody = Join & { token: string }

const Joined = z.object({ id: z.string(), email: z.string(), username: z.string() })

export const inviteCalls = {
  'GET /api/v1/admin/invites': { answer: z.array(Invite) },
  'POST /api/v1/admin/invites': { body: NewInviteBody, answer: MadeInvite, status: 201 },
  'DELETE /api/v1/admin/invites': { query: InviteId, answer: InviteId },
  'POST /api/v1/auth/invitation': { body: z.strictObject({ token: LinkToken }), answer: Invitation },
  /** With the token alone, the response is a 204. */
  'POST /api/v1/auth/invite': { body: UseInviteBody, answer: Joined, status: 201 },
} as const

declare module '../../shared/calls.ts' {
  interface Calls extends Table<typeof inviteCalls> {}
}
