import * as z from 'zod/mini'
import { AuditQuery } from '../people/audit/contract.ts'
import { filledText } from '../shared/schemas/names.ts'

const notificationTypes = ['danger', 'success', 'warning', 'info'] as const

const EntryRef = z.object({ tool: z.string(), id: z.string() })

/** A notice as screens get it; `issuedAt` is epoch milliseconds, `author` the name of its sender. */
export const Notification = z.object({
  id: z.string(),
  type: z.enum(notificationTypes),
  message: z.string(),
  issuedAt: z.int(),
  author: z.string(),
  /** The type of the inbox item that it announces. */
  item: z.optional(z.string()),
  /** The one entry it is about. */
  entry: z.optional(EntryRef),
})
export type Notification = z.infer<typeof Notification>

export const longestMessage = 500

export const AnnounceBody = z.strictObject({
  type: z.enum(notificationTypes, { error: `Use one of ${notificationTypes.join(', ')}.` }),
  message: filledText('Enter a message.', longestMessage).check(
    // PostgreSQL can't store it, and both databases accept the same texts.
    z.regex(/^[^\0]*$/, { error: "The message can't contain the character U+0000." }),
  ),
})
export type AnnounceBody = z.infer<typeof AnnounceBody>

/** What an item may be about; for admins, `operator` is trouble of the server, and `access` somebody who waits for them. */
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

/** `entry` is the one entry it is about, if it still exists; `at` is when it was last added to. */
export const InboxItem = z.object({
  id: z.string(),
  type: z.enum(inboxTypes),
  message: z.string(),
  entry: z.nullable(EntryRef),
  at: z.int(),
  readAt: z.nullable(z.int()),
})
export type InboxItem = z.infer<typeof InboxItem>

/** `unread` counts all, not only those of this page. */
const Inbox = z.object({ unread: z.int(), items: z.array(InboxItem) })
export type Inbox = z.infer<typeof Inbox>

/** About how many items a page has; it never ends between two of the same instant. */
export const inboxPage = 50

const whole = { error: 'Use a time in whole milliseconds.' }
/** Everything up to this instant, in epoch milliseconds, has been read. */
const ReadBody = z.strictObject({
  until: z.int(whole).check(z.minimum(0, whole), z.maximum(8_640_000_000_000_000, whole)),
})

/** The calls by which users read their inbox, and admins send announcements to everyone. */
export const noticeCalls = {
  'GET /api/v1/admin/notifications': { answer: z.array(Notification) },
  'POST /api/v1/admin/notifications': { body: AnnounceBody, answer: Notification, status: 201 },
  'GET /api/v1/user/inbox': { query: AuditQuery, answer: Inbox },
  'POST /api/v1/user/inbox/read': { body: ReadBody, answer: z.null(), status: 204 },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof noticeCalls> {}
}
