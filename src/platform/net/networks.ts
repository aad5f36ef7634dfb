import ipaddr from 'ipaddr.js'

/**
 * The networks of an address, narrowest first: for IPv4 the address and its /24, for IPv6 its /64, /56 and /48. One
 * subscriber usually has all addresses of the first, and one provider or organization all of the last. Any other text
 * is a network of its own.
 */
export function networksOf(address: string): readonly [string, ...string[]] {
  if (!ipaddr.isValid(address)) return [address]
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return [parsed.toString(), blockOf(parsed, 24)]
  return [blockOf(parsed, 64), blockOf(parsed, 56), blockOf(parsed, 48)]
}

/** Whether this is a loopback address, which identifies no client: an untrusted local proxy forwards all of them. */
export const isThisMachine = (address: string): boolean => /^(::1$|(::ffff:)?127\.)/.test(address)

function blockOf(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): string {
  const bytes = address.toByteArray().map((byte, n) => (8 * n < prefix ? byte : 0))
  return `${ipaddr.fromByteArray(bytes).toString()}/${prefix}`
}
