import * as z from 'zod/mini'

export const auditActions = {
  'user.create': 'Created user',
  'user.edit': 'Edited user',
  'user.password': 'Set password',
  'user.delete': 'Deleted user',
  'user.sessions': 'Ended sessions',
  'user.signup': 'Signed up',
  'access.request': 'Asked for access',
  'access.approve': 'Approved access',
  'access.decline': 'Declined access',
  'invite.create': 'Created invitation',
  'invite.revoke': 'Revoked invitation',
  'invite.use': 'Accepted invitation',
  'provider.link': 'Linked provider',
  'provider.unlink': 'Unlinked provider',
  'factor.on': 'Turned on two-step sign-in',
  'factor.off': 'Turned off two-step sign-in',
  'factor.codes': 'Created recovery codes',
  'factor.code': 'Used a recovery code',
  'factor.reset': 'Reset two-step sign-in',
  'passkey.create': 'Added passkey',
  'passkey.delete': 'Deleted passkey',
  'session.start': 'Signed in',
  'session.fail': 'Failed sign-in',
  'session.end': 'Signed out',
  'key.create': 'Created API key',
  'key.delete': 'Deleted API key',
  'key.use': 'Used API key from a new network',
  'channel.create': 'Created channel',
  'channel.edit': 'Changed the address of a channel',
  'status.create': 'Created status page',
  'status.edit': 'Changed status page',
  'entry.create': 'Created entry for another user',
  'entry.edit': "Edited another user's entry",
  'entry.delete': "Deleted another user's entry",
  'secret.renew': 'Changed secret',
  'hook.renew': 'Regenerated hook URL',
  'badge.claim': 'Claimed badge',
  'badge.edit': 'Edited badge',
  'badge.release': 'Released badge',
  'data.backup': 'Backed up the database',
  'data.download': 'Downloaded a backup',
  'data.restore': 'Restored a backup',
  'data.export': 'Exported data',
  'data.import': 'Imported data',
  'secret.rotate': 'Rotated APP_SECRET',
  'notification.announce': 'Announced',
} as const
export type AuditAction = keyof typeof auditActions

/** Why a sign-in failed: wrong password, wrong second factor, too many attempts, or an account that may not sign in. */
export type FailureReason = 'wrong' | 'code' | 'limited' | 'refused'

const Value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])
/** The change of one field; secrets are never included. */
export const Change = z.object({ field: z.string(), from: z.nullable(Value), to: z.nullable(Value) })
export type Change = z.infer<typeof Change>

/** A log entry. `actor` and `target` are names at that time; `address` and `device` are the origin of the request. */
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
  device: z.nullable(z.string()),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** An action by a user, or by others on their account; omits the name and address of other actors. */
export const Activity = z.extend(z.omit(AuditEntry, { actor: true, actorId: true, targetId: true }), {
  byYou: z.boolean(),
})
export type Activity = z.infer<typeof Activity>

/** Approximate page sizes of the log and of a user's activity; entries of one instant are never split across pages. */
export const auditPage = 200
export const activityPage = 50
/** Selects entries older than `before`, in epoch milliseconds. */
export const AuditQuery = z.object({
  before: z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,15}$/, { error: 'Use a time in whole milliseconds.' })),
      z.transform(Number),
    ),
  ),
})

export const nextPage = "For the next page, pass the last entry's time as `before`."

export const auditCalls = {
  'GET /api/v1/admin/audit': { query: AuditQuery, answer: z.array(AuditEntry) },
  'GET /api/v1/user/activity': { query: AuditQuery, answer: z.array(Activity) },
} as const

declare module '../../shared/calls.ts' {
  interface Calls extends Table<typeof auditCalls> {}
}
