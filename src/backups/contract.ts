import * as z from 'zod/mini'

/** A backup; `verified` if its file has the expected size. Its content was verified when it was made. */
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
  /** Milliseconds; 0 if automatic backups are off. */
  every: z.int(),
  /** Whether new backups are encrypted, because a passphrase is configured. */
  seals: z.boolean(),
  folder: z.string(),
  isRunning: z.boolean(),
  /** When the next backup is due; null if automatic backups are off. */
  next: z.nullable(z.int()),
  /** When and why the last attempt failed; null if it succeeded. */
  failed: z.nullable(z.object({ at: z.int(), why: z.string() })),
})
export type BackupStatus = z.infer<typeof BackupStatus>

export const backupCalls = {
  'GET /api/v1/admin/backups': { answer: z.array(Backup) },
  'POST /api/v1/admin/backups': { body: z.optional(z.nullable(z.strictObject({}))), answer: Backup, status: 201 },
  'GET /api/v1/admin/backups/status': { answer: BackupStatus },
  /** Sends the file; with `check`, only checks that it can be sent. */
  'GET /api/v1/admin/backups/:name': {
    params: z.object({ name: z.string() }),
    query: z.object({ check: z.optional(z.literal('true')) }),
    answer: z.unknown(),
  },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof backupCalls> {}
}
