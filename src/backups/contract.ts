import * as z from 'zod/mini'

/** A backup; `verified` if it is as long as it should be, and all of it was read when it was made. */
export const Backup = z.object({
  name: z.string(),
  /** Epoch milliseconds. */
  time: z.int(),
  /** Bytes. */
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

export const NewBackup = z.optional(z.nullable(z.strictObject({})))
export const BackupName = z.object({ name: z.string() })
/** With `check`, nothing is sent: it only asks whether the file could be. */
export const DownloadQuery = z.object({ check: z.optional(z.literal('true')) })
