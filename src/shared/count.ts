/** A whole number as `1,234`, as `Intl` writes it: to load that takes a browser 10 ms, and a server memory. */
export const formatCount = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** `99.95%`, rounded down, so that 100% means that nothing failed. */
export const formatPercent = (share: number): string => `${Math.floor(share * 10_000 + 1e-6) / 100}%`

/** `850 B`, `1.4 kB`, `2.0 MB`, `3.1 GB`. */
export function formatBytes(count: number): string {
  if (count < 1_000) return `${count} B`
  if (count < 1_000_000) return `${(count / 1_000).toFixed(1)} kB`
  return count < 1_000_000_000 ? `${(count / 1_000_000).toFixed(1)} MB` : `${(count / 1_000_000_000).toFixed(1)} GB`
}
