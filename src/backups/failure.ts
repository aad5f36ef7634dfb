import { stat } from 'node:fs/promises'

/** Its message is the reason why no backup was made, as a sentence without a full stop. */
export class BackupRefused extends Error {}

/** Why a backup failed, for the operator, as a sentence without a full stop. */
export function describeBackupFailure(error: unknown, folder: string): string {
  const { code, message } = Object(error)
  if (error instanceof BackupRefused) return error.message
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk of ${folder} is full`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return `ToolBox can't write to ${folder}`
  if (code === 'ENOTDIR' || code === 'EEXIST' || code === 'ENOENT') return `${folder} is not a folder`
  return String(message ?? error).replace(/\.$/, '')
}

/** Bytes that a backup leaves free, so that the database can keep writing. */
const reserve = 16_777_216
/** The database may grow while it is copied. */
const slack = 1.2

type Need = { folder: string; bytes: number }

/** Throws BackupRefused unless each folder's disk has room; adds up the needs of folders on the same disk. */
export async function requireDiskSpace(
  needs: readonly Need[],
  free: (folder: string) => Promise<number>,
): Promise<void> {
  const disks = new Map<number, Need>()
  for (const { folder, bytes } of needs) {
    const { dev } = await stat(folder)
    disks.set(dev, { folder, bytes: (disks.get(dev)?.bytes ?? reserve) + Math.ceil(bytes * slack) })
  }
  for (const { folder, bytes } of disks.values()) {
    const available = await free(folder)
    if (available < bytes)
      throw new BackupRefused(
        `There isn't enough disk space in ${folder}: a backup needs ${megabytes(bytes)}, but only ${megabytes(available)} are free`,
      )
  }
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000).toLocaleString('en')} MB`
