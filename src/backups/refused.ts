/** Why no backup was made, as a sentence without its full stop. */
export class BackupRefused extends Error {}

/** Why a backup failed, for the operator. */
export function whyFailed(error: unknown, folder: string): string {
  const { code, message } = Object(error)
  if (error instanceof BackupRefused) return error.message
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk of ${folder} is full`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return `ToolBox can't write to ${folder}`
  if (code === 'ENOTDIR' || code === 'EEXIST' || code === 'ENOENT') return `${folder} is not a folder`
  return String(message ?? error).replace(/\.$/, '')
}
