import type { Backup } from '../../backups/contract.ts'

const words = (yes: boolean) => (yes ? 'yes' : 'no')
const size = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

/** Backups in lines, with these words before each. */
export function backupTable(backups: readonly Backup[], before: readonly string[] = backups.map(() => '')): string[] {
  const rows = backups.map((backup, index) => [
    before[index] ?? '',
    backup.name,
    new Date(backup.time).toISOString().slice(0, 19).replace('T', ' '),
    size(backup.size),
    words(backup.sealed),
    String(backup.rows),
    words(backup.verified),
  ])
  const all = [['', 'Name', 'Time (UTC)', 'Size', 'Sealed', 'Rows', 'Verified'], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .filter((_, column) => (widths[column] ?? 0) > 0)
      .join('  ')
      .trimEnd(),
  )
}
