import * as z from 'zod/mini'

const notificationTypes = ['danger', 'success', 'warning', 'info'] as const

/** An entry of a tool, by its id. */
export const EntryRef = z.object({ tool: z.string(), id: z.string() })

/** A message to users; `issuedAt` is epoch milliseconds, `author` the name of its sender. */
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

/** How many characters a message may have. */
export const longestMessage = 500

export const AnnounceBody = z.strictObject({
  type: z.enum(notificationTypes, { error: `Use one of ${notificationTypes.join(', ')}.` }),
  message: z.string({ error: 'Enter a message.' }).check(
    z.trim(),
    z.minLength(1, { error: 'Enter a message.' }),
    z.maxLength(longestMessage, { error: `Use at most ${longestMessage} characters.` }),
    // PostgreSQL can't store it, and both databases accept the same texts.
    z.regex(/^[^\0]*$/, { error: "The message can't contain the character U+0000." }),
  ),
})
export type AnnounceBody = z.infer<typeof AnnounceBody>
