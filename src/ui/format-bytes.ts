/** `850 B`, `1.4 kB`, `2.0 MB`. */
export function formatBytes(count: number): string {
  if (count < 1_000) return `${count} B`
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`
}
