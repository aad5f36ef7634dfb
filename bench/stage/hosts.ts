/** A loopback address for each entry, so that each has its own target: 127.1.0.0 and up. */
export const hostAt = (index: number): string => `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`

/** The index of the entry to which a Host header belongs. */
export function indexOf(host: string): number {
  const [, high = 1, middle = 0, low = 0] = host.split(':', 1)[0]!.split('.').map(Number)
  return ((high - 1) << 16) + (middle << 8) + low
}
