/** A whole number as `1,234`, as `Intl` formats it. Loading `Intl` takes a browser 10 ms, and memory on a server. */
export const formatCount = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** A share as `99.95%`, rounded down, so that 100% means no failures. */
export const formatPercent = (share: number): string => `${Math.floor(share * 10_000 + 1e-6) / 100}%`

/** For example `850 B`, `1.4 kB`, `2.0 MB` or `3.1 GB`. */
export function formatBytes(count: number): string {
  if (count < 1_000) return `${count} B`
  if (count < 1_000_000) return `${(count / 1_000).toFixed(1)} kB`
  return count < 1_000_000_000 ? `${(count / 1_000_000).toFixed(1)} MB` : `${(count / 1_000_000_000).toFixed(1)} GB`
}
