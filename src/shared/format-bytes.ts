/** `850 B`, `1.4 kB`, `2.0 MB`, `3.1 GB`. */
export function formatBytes(count: number): string {
  if (count < 1_000) return `${count} B`
  if (count < 1_000_000) return `${(count / 1_000).toFixed(1)} kB`
  return count < 1_000_000_000 ? `${(count / 1_000_000).toFixed(1)} MB` : `${(count / 1_000_000_000).toFixed(1)} GB`
}
