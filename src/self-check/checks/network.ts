import { BlockList, isIPv6 } from 'node:net'
import { type Finding, ok, problem, warning } from '../../platform/finding.ts'

/** Where cloud providers hand out credentials to any caller. */
const metadataService = '169.254.169.254'

type Given = { isOffline: boolean; allowPrivateCidrs: readonly string[] }

/** Whether runs are postponed for want of a network, which is only found out while there are some, and which private hosts they can reach. */
export const checkNetwork = ({ isOffline, allowPrivateCidrs }: Given): Finding[] => [
  ...(isOffline ? [unreachable] : []),
  privateRanges(allowPrivateCidrs),
]

const unreachable = problem(
  'No outside host can be reached, so runs are postponed.',
  "Check this server's network, name servers and firewall.",
)

function privateRanges(ranges: readonly string[]): Finding {
  if (ranges.length === 0) return ok("Entries can't reach private addresses.")
  const list = ranges.join(', ')
  if (!includes(ranges, metadataService)) return ok(`Entries can reach private addresses in ${list}.`)
  return warning(
    `Entries can reach ${metadataService}, where many clouds hand out credentials (ALLOW_PRIVATE_CIDRS is ${list}).`,
    'Narrow ALLOW_PRIVATE_CIDRS to the hosts that entries need.',
  )
}

function includes(ranges: readonly string[], address: string): boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [start = '', bits] = range.split('/')
    list.addSubnet(start, Number(bits), isIPv6(start) ? 'ipv6' : 'ipv4')
  }
  return list.check(address)
}
