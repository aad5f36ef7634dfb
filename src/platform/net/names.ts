import { lookup, Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import pLimit from 'p-limit'
import { singleFlight } from '../../shared/async.ts'

/** Finds a host's addresses. Rejects with an error that has the resolver's code. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** How many names are looked up at once; name servers drop larger bursts (Docker's own takes 100 questions). */
const namesAtOnce = 64
const lookUpsAtOnce = 2
/** How long an IPv4 answer waits for the IPv6 answer, ms. */
const ipv6Wait = 100

// `dns.lookup` has four threads, shared with files and password hashing, so a few dead name servers would delay every ping.
// Names are therefore looked up over the network, without a thread. The hosts file goes first, as on the machine itself,
// and `lookup` only gets names that DNS doesn't know (search domains, mDNS), two at once.
/** Resolves names as the machine does, but a few slow names can't delay the others. */
export function machineResolve(hostsFile = '/etc/hosts'): Resolve {
  const inHostsFile = hostsReader(hostsFile)
  const asking = singleFlight<readonly string[]>()
  const limits = { lookup: pLimit(lookUpsAtOnce), names: pLimit(namesAtOnce) }
  const ask = (host: string) => asking(host, () => limits.names(askNameServers, host))
  const lookUp = async (host: string) =>
    (await limits.lookup(() => lookup(host, { all: true }))).map((found) => found.address)
  return async (host) => {
    const listed = inHostsFile(host)
    if (listed) return listed
    try {
      return await ask(host)
    } catch (error) {
      if (isUnknownName(error)) return lookUp(host)
      throw error
    }
  }
}

async function askNameServers(host: string): Promise<readonly string[]> {
  // A new resolver for each name reads the machine's current settings, and costs 26 µs.
  const resolver = new Resolver({ timeout: 1_000, tries: 3 })
  const six = resolver.resolve6(host).catch(() => [])
  try {
    const four = await resolver.resolve4(host)
    return [...four, ...(await Promise.race([six, wait(ipv6Wait, [], { ref: false })]))]
  } catch (error) {
    const found = await six
    if (found.length > 0) return found
    throw error
  } finally {
    resolver.cancel()
  }
}

const isUnknownName = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')

/** The addresses of names that mean the same everywhere (RFC 6761) and are never looked up. */
export function specialName(host: string): readonly string[] | undefined {
  const name = host.replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
  return name === 'invalid' || name.endsWith('.invalid') ? [] : undefined
}

function hostsReader(path: string): (host: string) => readonly string[] | undefined {
  let read = { changed: -1, hosts: new Map<string, string[]>() }
  return (host) => {
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (changed === undefined) return undefined
    if (changed !== read.changed) read = { changed, hosts: parseHosts(readFileSync(path, 'utf8')) }
    return read.hosts.get(host.replace(/\.$/, ''))
  }
}

/** The lines of a hosts file, as name → addresses. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address])
  }
  return hosts
}
