import * as z from 'zod/mini'

/** `verified`: the file has the expected size. The content was verified when the backup was made. */
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
  seals: z.boolean(),
  folder: z.string(),
  isRunning: z.boolean(),
  /** Null if automatic backups are off. */
  next: z.nullable(z.int()),
  /** Null if the last attempt succeeded. */
  failed: z.nullable(z.object({ at: z.int(), why: z.string() })),
})
export type BackupStatus = z.infer<typeof BackupStatus>

export const backupCalls = {
  'GET /api/v1/admin/backups': { answer: z.array(Backup) },
  'POST /api/v1/admin/backups': { body: z.optional(z.nullable(z.strictObject({}))), answer: Backup, status: 201 },
  'GET /api/v1/admin/backups/status': { answer: BackupStatus },
  /** With `check`, only checks that the file can be sent. */
  'GET /api/v1/admin/backups/:name': {
    params: z.object({ name: z.string() }),
    query: z.object({ check: z.optional(z.literal('true')) }),
    answer: z.unknown(),
  },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof backupCalls> {}
}
