import { BlockList, isIPv6 } from 'node:net'
import { type Finding, ok, problem, warning } from '../../platform/finding.ts'

/** Where cloud providers hand out credentials to any caller. */
const metadataService = '169.254.169.254'

type Given = { isOffline: boolean; allowPrivateCidrs: readonly string[] }

/** Whether other hosts can be reached, and which private ones. */
export const checkNetwork = ({ isOffline, allowPrivateCidrs }: Given): Finding[] => [
  isOffline
    ? problem(
        'No outside host can be reached, so runs are postponed.',
        "Check this server's network, name servers and firewall.",
      )
    : ok('Outside hosts can be reached.'),
  privateRanges(allowPrivateCidrs),
]

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
