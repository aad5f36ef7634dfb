import { BlockList, isIP } from 'node:net'

// IPv4 special-purpose blocks (IANA registry), plus the public-looking address that Azure uses inside its machines.
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
// Global unicast IPv6. Mapped, compatible, NAT64, local, link-local and multicast addresses are all outside it.
const global6 = ['2000::/3']
// Not public within it: protocol assignments (Teredo, ORCHID), documentation, 6to4 (embeds IPv4), 6bone, documentation.
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3ffe::/16', '3fff::/20']

const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i

/** Strips the zone and URL brackets; IPv4-mapped IPv6 becomes the IPv4 address that the kernel would connect to. */
export function plainAddress(text: string): string {
  if (!/[:%[]/.test(text)) return text
  const address = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '')
  const [, dotted, high, low] = mapped.exec(address) ?? []
  if (dotted) return dotted
  if (high === undefined || low === undefined) return address
  const [h, l] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `${h >> 8}.${h & 255}.${l >> 8}.${l & 255}`
}

function blocksOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', prefix] = cidr.split('/')
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(network, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return list
}

const [private4, public6, private6] = [blocksOf(special4), blocksOf(global6), blocksOf(special6)]

/** Whether this address is public on the internet; false if the text is not an address. */
export function isPublic(text: string): boolean {
  const address = plainAddress(text)
  if (isIP(address) === 4) return !private4.check(address, 'ipv4')
  if (isIP(address) === 6) return public6.check(address, 'ipv6') && !private6.check(address, 'ipv6')
  return false
}

export function inRanges(cidrs: readonly string[]): (address: string) => boolean {
  const ranges = blocksOf(cidrs)
  return (text) => {
    const address = plainAddress(text)
    const family = isIP(address)
    return family !== 0 && ranges.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}

type Objection = 'address' | 'port'

/** Returns a check for why an address and port may not be visited; the operator's ranges are allowed on any port. */
export function addressCheck(
  allowPrivateCidrs: readonly string[],
): (address: string, port: number) => Objection | undefined {
  const isAllowed = inRanges(allowPrivateCidrs)
  return (address, port) => {
    if (isAllowed(address)) return undefined
    if (!isPublic(address)) return 'address'
    return isBlockedPort(port) ? 'port' : undefined
  }
}

// The Fetch standard's blocked ports: services that could mistake an HTTP request for one of their own commands.
const blocked = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

export const portOf = (url: URL): number => Number(url.port) || (url.port === '0' ? 0 : defaultPort(url))

const defaultPort = (url: URL): number => (url.protocol === 'https:' ? 443 : 80)

export const isBlockedPort = (port: number): boolean => blocked.has(port)
