import * as z from 'zod/mini'

/** A backup; `verified` if it is as long as it should be, and all of it was read when it was made. */
export const Backup = z.object({
  name: z.string(),
  time: z.int(),
  size: z.int(),
  sealed: z.boolean(),
  rows: z.int(),
  verified: z.boolean(),
})
export type Backup = z.infer<typeof Backup>

export const BackupStatus = z.object({
  /** Milliseconds; 0 if none are made by themselves. */
  every: z.int(),
  /** Whether new ones are sealed, because there is a passphrase. */
  seals: z.boolean(),
  folder: z.string(),
  isRunning: z.boolean(),
  /** When the next one is due; null if none is. */
  next: z.nullable(z.int()),
  /** Why the last try failed; null if it didn't. */
  failed: z.nullable(z.object({ at: z.int(), why: z.string() })),
})
export type BackupStatus = z.infer<typeof BackupStatus>

export const backupCalls = {
  'GET /api/v1/admin/backups': { answer: z.array(Backup) },
  'POST /api/v1/admin/backups': { body: z.optional(z.nullable(z.strictObject({}))), answer: Backup, status: 201 },
  'GET /api/v1/admin/backups/status': { answer: BackupStatus },
  /** The file. With `check`, nothing is sent: it only asks whether the file could be. */
  'GET /api/v1/admin/backups/:name': {
    params: z.object({ name: z.string() }),
    query: z.object({ check: z.optional(z.literal('true')) }),
    answer: z.unknown(),
  },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof backupCalls> {}
}
