import * as z from 'zod/mini'

/** Every action that is logged, and its label in the list. */
export const auditActions = {
  'user.create': 'Created user',
  'user.edit': 'Edited user',
  'user.password': 'Set password',
  'user.delete': 'Deleted user',
  'user.sessions': 'Ended sessions',
  'user.signup': 'Signed up',
  'provider.link': 'Linked provider',
  'provider.unlink': 'Unlinked provider',
  'factor.on': 'Turned on two-step sign-in',
  'factor.off': 'Turned off two-step sign-in',
  'factor.codes': 'Created recovery codes',
  'factor.code': 'Used a recovery code',
  'factor.reset': 'Reset two-step sign-in',
  'passkey.create': 'Added passkey',
  'passkey.delete': 'Deleted passkey',
  'key.create': 'Created API key',
  'key.delete': 'Deleted API key',
  'notification.announce': 'Announced',
} as const
export type AuditAction = keyof typeof auditActions

const Value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])
/** The change of one field; never of a secret. */
export const Change = z.object({ field: z.string(), from: z.nullable(Value), to: z.nullable(Value) })
export type Change = z.infer<typeof Change>

/** An entry of the log. `actor` and `target` are the names at that time, `address` is where the request came from. */
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

/** About how many entries a page has; it never ends between two entries of the same instant. */
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
