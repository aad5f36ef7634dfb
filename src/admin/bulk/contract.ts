import * as z from 'zod/mini'
import { SomeRoles, Tags } from '../../people/contract.ts'
import { idsOf, RefusedIds } from '../../shared/schemas/bulk.ts'
import { AccountStatus } from '../../shared/schemas/user-shapes.ts'

const ids = idsOf('user', 'users')

/** `tags` replaces the tags of each; `addTags` and `removeTags` leave the others. */
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

/** `changed` are in the order of `ids`, `unchanged` those of them that were so already, if there are any. */
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
/** What some users have together: how many of them there still are, how many are active, and how many have a level of Admin. */
const UsersTogether = z.object({
  users: z.int(),
  active: z.int(),
  admins: z.int(),
  entries: z.int(),
  sessions: z.int(),
})
export type UsersTogether = z.infer<typeof UsersTogether>

/** Work on many users at once. */
export const bulkUserCalls = {
  'PATCH /api/v1/admin/users': { body: ChangeUsersBody, answer: ChangeUsersAnswer },
  'POST /api/v1/admin/users/bulk': { body: DeleteUsersBody, answer: DeleteUsersAnswer },
  'POST /api/v1/admin/users/together': { body: UserIds, answer: UsersTogether },
} as const
type BulkUserCalls = typeof bulkUserCalls

declare module '../../shared/calls.ts' {
  interface Calls extends BulkUserCalls {}
}
