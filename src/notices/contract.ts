import * as z from 'zod/mini'
import { AuditQuery } from '../people/audit/contract.ts'
import { requiredText } from '../shared/schemas/names.ts'

const notificationTypes = ['danger', 'success', 'warning', 'info'] as const

const EntryRef = z.object({ tool: z.string(), id: z.string() })

/** `issuedAt` is in epoch milliseconds, `author` is the sender's name. */
export const Notification = z.object({
  id: z.string(),
  type: z.enum(notificationTypes),
  message: z.string(),
  issuedAt: z.int(),
  author: z.string(),
  item: z.optional(z.string()),
  /** Set if the notice is about a single entry. */
  entry: z.optional(EntryRef),
})
export type Notification = z.infer<typeof Notification>

export const longestMessage = 500

export const AnnounceBody = z.strictObject({
  type: z.enum(notificationTypes, { error: `Use one of ${notificationTypes.join(', ')}.` }),
  message: requiredText('Enter a message.', longestMessage).check(
    // PostgreSQL can't store U+0000, and both databases must accept the same texts.
    z.regex(/^[^\0]*$/, { error: "The message can't contain the character U+0000." }),
  ),
})
export type AnnounceBody = z.infer<typeof AnnounceBody>

/** Types of inbox items. Only admins get `operator`, a server problem, and `access`, a user who waits for access. */
const inboxTypes = [
  'failing',
  'recovered',
  'blocked',
  'certificate',
  'due',
  'offer',
  'account',
  'access',
  'operator',
  'announcement',
] as const
export type InboxType = (typeof inboxTypes)[number]

/** `entry` is set if the item is about a single entry that still exists; `at` is when the item last grew. */
export const InboxItem = z.object({
  id: z.string(),
  type: z.enum(inboxTypes),
  message: z.string(),
  entry: z.nullable(EntryRef),
  at: z.int(),
  readAt: z.nullable(z.int()),
})
export type InboxItem = z.infer<typeof InboxItem>

/** `unread` counts the items of all pages. */
const Inbox = z.object({ unread: z.int(), items: z.array(InboxItem) })
export type Inbox = z.infer<typeof Inbox>

/** The number of items in a page, or more: items of the same instant are never split across pages. */
export const inboxPage = 50

const timeError = { error: 'Use a time in whole milliseconds.' }
/** Marks everything up to this instant, in epoch milliseconds, as read. */
const ReadBody = z.strictObject({
  until: z.int(timeError).check(z.minimum(0, timeError), z.maximum(8_640_000_000_000_000, timeError)),
})

export const noticeCalls = {
  'GET /api/v1/admin/notifications': { answer: z.array(Notification) },
  'POST /api/v1/admin/notifications': { body: AnnounceBody, answer: Notification, status: 201 },
  'GET /api/v1/user/inbox': { query: AuditQuery, answer: Inbox },
  'POST /api/v1/user/inbox/read': { body: ReadBody, answer: z.null(), status: 204 },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof noticeCalls> {}
}
