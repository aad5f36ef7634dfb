import { lookup, Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { singleFlight } from '../../shared/async.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import { fairQueue } from '../fair-queue.ts'

/** A lookup's owner, whether its result is still needed, and how long until an unknown name may be reported. */
export type LookUpOwner = { owner: string; isWanted: () => boolean; untilReported: () => Milliseconds }

/** Without an asker, the host is one of the operator's. Rejects with an error that has the resolver's code. */
export type Resolve = (host: string, asker?: LookUpOwner) => Promise<readonly string[]>

/** The most concurrent lookups; name servers drop larger bursts (Docker's own accepts 100 queries). */
const namesAtOnce = 64
const lookUpsAtOnce = 2
/** How long to query name servers: about 8 s in three tries, or a single try where a response is unlikely. */
const patient = { timeout: seconds(1), tries: 3 }
const brief = { timeout: seconds(1), tries: 1 }
/** The system lookup stops this long before an unknown name is reported, so that the report is never late. */
const spare: Milliseconds = 100
/** How long an IPv4 result waits for the IPv6 result, ms. */
const ipv6Wait = 100

// `dns.lookup` shares four threads with files and password hashing, so a few dead name servers would delay every ping.
// Names are therefore resolved over the network; only those unknown to DNS (search domains, mDNS) go to `lookup`.
/** Resolves names as the machine does, in turns, so that no owner's slow names delay another owner or the operator. */
export function machineResolve(
  elapsed: () => Milliseconds,
  { hostsFile = '/etc/hosts', ask = askNameServers, lookUp = lookUpAddresses } = {},
): Resolve {
  const inHostsFile = hostsReader(hostsFile)
  const asking = singleFlight<readonly string[]>()
  const zones = silentZones(elapsed)
  const turns = {
    names: fairQueue({ concurrency: namesAtOnce, leavesRoom: true }),
    lookUps: fairQueue({ concurrency: lookUpsAtOnce, leavesRoom: true }),
  }
  const operators = pLimit(1)

  const question = (host: string, options: typeof patient) =>
    asking(`${options.tries} ${host}`, async () => inHostsFile(host) ?? ask(host, options))

  async function askInTurn(host: string, { owner, isWanted }: LookUpOwner): Promise<readonly string[]> {
    const zone = zones(owner, host)
    for (;;) {
      const endProbe = await zone.probe()
      const endTurn = await turns.names.enter(owner)
      try {
        if (!isWanted()) return []
        // The zone fell silent while this lookup waited.
        if (!endProbe && zone.isSilent()) continue
        return await zone.recordAnswer(question(host, endProbe ? brief : patient))
      } finally {
        endTurn()
        endProbe?.()
      }
    }
  }

  /** Stops before an unknown name is reported, so that timing does not reveal the names of our own network. */
  function lookUpInTurn(host: string, { owner, isWanted, untilReported }: LookUpOwner): Promise<readonly string[]> {
    let isOver = false
    const found = turns.lookUps.run(owner, async () => (!isOver && isWanted() ? lookUp(host) : []))
    const { promise: none, resolve } = Promise.withResolvers<readonly string[]>()
    const timer = setTimeout(resolve, Math.max(0, untilReported() - spare), [])
    return Promise.race([found.catch(() => []), none]).finally(() => {
      isOver = true
      clearTimeout(timer)
    })
  }

  return async (host, asker) => {
    try {
      return await (asker ? askInTurn(host, asker) : question(host, patient))
    } catch (error) {
      if (!isUnknownName(error)) throw error
      return asker ? lookUpInTurn(host, asker) : operators(lookUp, host)
    }
  }
}

const lookUpAddresses = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map((found) => found.address)

async function askNameServers(host: string, options: typeof patient): Promise<readonly string[]> {
  // A new resolver for each name reads the machine's current settings, and costs 26 µs.
  const resolver = new Resolver(options)
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

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)
const isUnknownName = (error: unknown) => codeOf(error) === 'ENOTFOUND' || codeOf(error) === 'ENODATA'

/** The addresses of special-use names (RFC 6761), which are never looked up; undefined for other names. */
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
    if (changed !== read.changed) read = { changed, hosts: parseHosts(textOf(path)) }
    return read.hosts.get(host.replace(/\.$/, ''))
  }
}

// Names must still resolve over DNS if the hosts file can't be read or is a folder.
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address])
  }
  return hosts
}

const remembered = minutes(5)
/** How long a lookup waits for other probes of its silent zone. */
const longestWait = seconds(5)
const mostZones = 10_000

type Zone = { until: Milliseconds; probe: Promise<void> | undefined }

/** Limits zones with silent name servers to one query at a time, per owner, so that no owner silences others' zones. */
function silentZones(elapsed: () => Milliseconds) {
  // `max` would allocate memory for all zones up front.
  const silent = new LRUCache<string, Zone>({ maxSize: mostZones, sizeCalculation: () => 1 })
  const fellSilent = (key: string) => {
    const zone = silent.get(key) ?? { until: 0, probe: undefined }
    zone.until = elapsed() + remembered
    silent.set(key, zone)
  }

  return (owner: string, host: string) => {
    const key = `${zoneOf(host)} ${owner}`
    const findSilentZone = () => {
      const zone = silent.get(key)
      return zone && elapsed() < zone.until ? zone : undefined
    }
    return {
      isSilent: () => findSilentZone() !== undefined,
      /** Waits for earlier probes of a silent zone; returns a function that ends this one. Throws an ETIMEOUT error. */
      async probe(): Promise<(() => void) | undefined> {
        const until = elapsed() + longestWait
        for (let zone = findSilentZone(); zone; zone = findSilentZone()) {
          if (!zone.probe) {
            const { promise, resolve } = Promise.withResolvers<void>()
            const probed = zone
            probed.probe = promise
            return () => {
              probed.probe = undefined
              resolve()
            }
          }
          const remaining = until - elapsed()
          if (remaining <= 0) throw noAnswer()
          await Promise.race([zone.probe, wait(remaining, undefined, { ref: false })])
        }
        return undefined
      },
      /** Records whether a query in this zone is answered, and passes its outcome on. */
      async recordAnswer<T>(question: Promise<T>): Promise<T> {
        try {
          const answer = await question
          silent.delete(key)
          return answer
        } catch (error) {
          if (codeOf(error) === 'ETIMEOUT') fellSilent(key)
          else silent.delete(key)
          throw error
        }
      },
    }
  }
}

const noAnswer = () => Object.assign(new Error('No name server answered.'), { code: 'ETIMEOUT' })

/** Roughly the registered domain: `example.com` or `example.co.uk`. */
export function zoneOf(host: string): string {
  const labels = host.replace(/\.$/, '').toLowerCase().split('.')
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.')
}
