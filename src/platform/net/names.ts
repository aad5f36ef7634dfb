import { lookup, Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { singleFlight } from '../../shared/async.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import { fairQueue } from '../fair-queue.ts'

/** On whose behalf a name is looked up, whether the answer is still wanted once it is their turn, and how long until an unknown name is next told. */
export type Asker = { owner: string; isWanted: () => boolean; untilTold: () => Milliseconds }

/** Finds a host's addresses; without an asker, it is one of the operator's hosts. Rejects with an error that has the resolver's code. */
export type Resolve = (host: string, asker?: Asker) => Promise<readonly string[]>

/** How many names are looked up at once; name servers drop larger bursts (Docker's own takes 100 questions). */
const namesAtOnce = 64
const lookUpsAtOnce = 2
/** How long name servers are asked: some 8 s in three tries, or once where nobody is likely to answer. */
const patient = { timeout: seconds(1), tries: 3 }
const brief = { timeout: seconds(1), tries: 1 }
/** How long before an unknown name is told the search elsewhere ends, so that it never misses that moment. */
const spare: Milliseconds = 100
/** How long an IPv4 answer waits for the IPv6 answer, ms. */
const ipv6Wait = 100

// `dns.lookup` has four threads, shared with files and password hashing, so a few dead name servers would delay every ping.
// Names are therefore looked up over the network, without a thread. The hosts file goes first, as on the machine itself,
// and `lookup` only gets names that DNS doesn't know (search domains, mDNS), two at once.
/**
 * Resolves names as the machine does. Owners take turns, so that nobody's slow names delay those of others, and the
 * operator's hosts never wait for anybody's.
 */
export function machineResolve(
  elapsed: () => Milliseconds,
  { hostsFile = '/etc/hosts', ask = askNameServers, lookUp = lookUpAddresses } = {},
): Resolve {
  const inHostsFile = hostsReader(hostsFile)
  const asking = singleFlight<readonly string[]>()
  const zones = silentZones(elapsed)
  const turns = {
    names: fairQueue({ most: namesAtOnce, leavesRoom: true }),
    lookUps: fairQueue({ most: lookUpsAtOnce, leavesRoom: true }),
  }
  const operators = pLimit(1)

  const question = (host: string, patience: typeof patient) =>
    asking(`${patience.tries} ${host}`, async () => inHostsFile(host) ?? ask(host, patience))

  async function askInTurn(host: string, { owner, isWanted }: Asker): Promise<readonly string[]> {
    const zone = zones(owner, host)
    for (;;) {
      const endProbe = await zone.probe()
      const endTurn = await turns.names.enter(owner)
      try {
        if (!isWanted()) return []
        // It fell silent meanwhile.
        if (!endProbe && zone.isSilent()) continue
        return await zone.heard(question(host, endProbe ? brief : patient))
      } finally {
        endTurn()
        endProbe?.()
      }
    }
  }

  /** Gives up before an unknown name is told, so that names which our own network has take no other time than others. */
  function lookUpInTurn(host: string, { owner, isWanted, untilTold }: Asker): Promise<readonly string[]> {
    let isOver = false
    const found = turns.lookUps.run(owner, async () => (!isOver && isWanted() ? lookUp(host) : []))
    const { promise: none, resolve } = Promise.withResolvers<readonly string[]>()
    const timer = setTimeout(resolve, Math.max(0, untilTold() - spare), [])
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

async function askNameServers(host: string, patience: typeof patient): Promise<readonly string[]> {
  // A new resolver for each name reads the machine's current settings, and costs 26 µs.
  const resolver = new Resolver(patience)
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
    if (changed !== read.changed) read = { changed, hosts: parseHosts(textOf(path)) }
    return read.hosts.get(host.replace(/\.$/, ''))
  }
}

// A hosts file that can't be read, or is a folder, must not keep DNS from being asked.
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
/** How long a name waits for the probes of its silent zone. */
const longestWait = seconds(5)
const mostZones = 10_000

type Zone = { until: Milliseconds; probe: Promise<void> | undefined }

/**
 * Remembers, for each owner, the zones whose name servers don't answer. Of such a zone's names one is asked at a time; any
 * answer ends the silence. It is remembered for each owner, so that nobody can silence a zone for others.
 */
function silentZones(elapsed: () => Milliseconds) {
  // With `max`, there would be room for all of them from the start.
  const silent = new LRUCache<string, Zone>({ maxSize: mostZones, sizeCalculation: () => 1 })
  const fellSilent = (key: string) => {
    const zone = silent.get(key) ?? { until: 0, probe: undefined }
    zone.until = elapsed() + remembered
    silent.set(key, zone)
  }

  return (owner: string, host: string) => {
    const key = `${zoneOf(host)} ${owner}`
    const known = () => {
      const zone = silent.get(key)
      return zone && elapsed() < zone.until ? zone : undefined
    }
    return {
      isSilent: () => known() !== undefined,
      /** Waits for the probes before; returns how to end one's own, or undefined if the zone isn't silent. Throws if the wait is too long. */
      async probe(): Promise<(() => void) | undefined> {
        const until = elapsed() + longestWait
        for (let zone = known(); zone; zone = known()) {
          if (!zone.probe) {
            const { promise, resolve } = Promise.withResolvers<void>()
            const probed = zone
            probed.probe = promise
            return () => {
              probed.probe = undefined
              resolve()
            }
          }
          const left = until - elapsed()
          if (left <= 0) throw noAnswer()
          await Promise.race([zone.probe, wait(left, undefined, { ref: false })])
        }
        return undefined
      },
      /** Notes whether this question under it is answered, and passes the outcome on. */
      async heard<T>(question: Promise<T>): Promise<T> {
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

/** As the resolver reports it. */
const noAnswer = () => Object.assign(new Error('No name server answered.'), { code: 'ETIMEOUT' })

/** Roughly what somebody registered: `example.com` or `example.co.uk`. */
export function zoneOf(host: string): string {
  const labels = host.replace(/\.$/, '').toLowerCase().split('.')
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.')
}
