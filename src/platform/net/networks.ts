import ipaddr from 'ipaddr.js'

/** An IPv4 address and its /24, or for IPv6 its /64, /56 and /48: usually from one subscriber to one provider. */
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
