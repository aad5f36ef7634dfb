import * as z from 'zod/mini'

/** Everything the log remembers, and how it reads in a list: who did this to whom. */
export const auditActions = {
  'user.create': 'Created user',
  'user.edit': 'Edited user',
  'user.password': 'Set password',
  'user.delete': 'Deleted user',
  'user.signup': 'Signed up',
  'provider.link': 'Linked provider',
  'provider.unlink': 'Unlinked provider',
  'key.create': 'Created API key',
  'key.delete': 'Deleted API key',
  'notification.announce': 'Announced',
} as const
export type AuditAction = keyof typeof auditActions

const Value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])
/** What became of one field; a secret is never among them. */
export const Change = z.object({ field: z.string(), from: z.nullable(Value), to: z.nullable(Value) })
export type Change = z.infer<typeof Change>

/** One line of the log. `actor` and `target` are names as they were then, `address` where the request came from. */
export const AuditEntry = z.object({
  id: z.string(),
  at: z.int(),
  actor: z.string(),
  actorId: z.nullable(z.string()),
  action: z.enum(Object.keys(auditActions) as [AuditAction, ...AuditAction[]]),
  target: z.nullable(z.string()),
  targetId: z.nullable(z.string()),
  changes: z.array(Change),
  address: z.nullable(z.string()),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** A page holds about this many; it never ends between two entries of one instant. */
export const auditPage = 200
/** Entries older than this instant, in epoch milliseconds. */
export const AuditQuery = z.object({
  before: z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,15}$/, { error: 'Use a time in whole milliseconds.' })),
      z.transform(Number),
    ),
  ),
})
