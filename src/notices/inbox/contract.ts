import * as z from 'zod/mini'
import { EntryRef } from '../notifications/contract.ts'

/** What an item may be about; for admins, `operator` is trouble of the server, and `access` somebody who waits for them. */
export const inboxTypes = [
  'failing',
  'recovered',
  'blocked',
  'certificate',
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
export const Inbox = z.object({ unread: z.int(), items: z.array(InboxItem) })
export type Inbox = z.infer<typeof Inbox>

/** About how many items a page has; it never ends between two of the same instant. */
export const inboxPage = 50

/** Everything up to this instant, in epoch milliseconds, has been read. */
export const ReadBody = z.strictObject({
  until: z
    .int({ error: 'Use a time in whole milliseconds.' })
    .check(
      z.minimum(0, { error: 'Use a time in whole milliseconds.' }),
      z.maximum(8_640_000_000_000_000, { error: 'Use a time in whole milliseconds.' }),
    ),
})
