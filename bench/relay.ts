import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type Milliseconds, seconds } from '../src/shared/time.ts'
import { freePort } from '../test/process.ts'
import { relayStorm } from '../test/relay-storm.ts'
import { startPostgres } from '../test/start-postgres.ts'
import type { BareHook } from './bare-hook.ts'
import { type Load, load } from './load.ts'
import { median, preciseNow, quantile, type Usage } from './measure.ts'
import { type Started, start } from './process.ts'
import { openDiscord } from './relay-discord.ts'
import { buildPost, bytesOf, secret, send } from './relay-posts.ts'
import type { RelayServer } from './relay-server.ts'
import { atLeast, atMost, type Row, tell } from './table.ts'

const webhooks = 20
const rounds = 3
const busy = { connections: 100, pipelined: 1, lasting: seconds(1.5) } as const
/** More than either server takes in a round. */
const postsARound = 20_000
/** On a quiet machine a bare server spends 24 µs on each; to check one, hide its secrets and keep it takes 140, half of them SQLite's. */
const leastOfBare = { sqlite: 0.1, postgres: 0.07 }
const arrivals = 12
const arrivesWithin = 50
const paced = { first: 250, count: 2_000, every: 2, within: 15 }
const storm = { webhooks, events: 50, kills: 3, every: 200 }

type Measured = Load & { cpu: Milliseconds }
type Pair = { ours: Measured; bare: Measured }

/** Deliveries of Heroku, each on disk before it is answered, beside a bare server that forgets them; their way to Discord; and what kills leave of them. */
export async function relay(): Promise<Row[]> {
  const postgres = await startPostgres([])
  try {
    return [
      ...(await measure('sqlite', {})),
      ...(await measure('postgres', { DATABASE_URL: postgres.url })),
      await killed(),
    ]
  } finally {
    await postgres.stop()
  }
}

async function measure(kind: 'sqlite' | 'postgres', more: Record<string, string>): Promise<Row[]> {
  const discord = await openDiscord()
  const bare = await start<BareHook>('bare-hook.ts')
  const port = await freePort()
  return inFolder(async (env) => {
    const given = { ...env, ALLOW_PRIVATE_CIDRS: '127.0.0.0/8', DISCORD_URL: discord.url, PORT: String(port) }
    const server = await start<RelayServer>('relay-server.ts', { ...given, ...more })
    try {
      const paths = await server.ask('lead', { webhooks: Array.from({ length: webhooks }, webhookUrl), secret })
      await server.ask('work')
      const arrived = await arrive(discord, port, paths)
      discord.hang()
      await keepPace(port, paths, paced.first)
      const [answered, disk] = await Promise.all([keepPace(port, paths, paced.count), writeBeside(env.DATA_DIR)])
      const pairs = await inTurns(server, bare, port, paths)
      return [
        atMost(`relay, ${kind}, event to Discord`, median(arrived), arrivesWithin, 'ms', 'nothing else to do'),
        atMost(
          `relay, ${kind}, 99 of 100 answered`,
          quantile(answered, 0.99),
          paced.within,
          'ms',
          `${1_000 / paced.every} a second while Discord hangs; a bare write to disk takes ${tell(quantile(disk, 0.99))} ms`,
        ),
        ratio(kind, pairs),
      ]
    } finally {
      await server.ask('stop')
      server.end()
      router.destroy()
      await bare.ask('stop')
      bare.end()
      discord.close()
    }
  })
}

const webhookUrl = (_: unknown, index: number) =>
  `https://discord.com/api/webhooks/${100_000_000_000_000_000n + BigInt(index)}/${randomBytes(51).toString('base64url')}`

/** From the first byte to the server until Discord has the message, one after the other. */
async function arrive({ next }: Awaited<ReturnType<typeof openDiscord>>, port: number, paths: readonly string[]) {
  const took: Milliseconds[] = []
  for (let index = 0; index < arrivals; index += 1) {
    const post = buildPost(paths[index % paths.length]!)
    const there = next()
    const began = preciseNow()
    await send(port, router, post)
    took.push((await there) - began)
    await after(200)
  }
  return took
}

/** Heroku's, which keeps its connections. */
const router = new Agent({ keepAlive: true, maxSockets: 64 })

/** How long answers take at a steady pace, whatever the ones before are waiting for. */
async function keepPace(port: number, paths: readonly string[], count: number): Promise<Milliseconds[]> {
  const posts = Array.from({ length: count }, (_, index) => buildPost(paths[index % paths.length]!))
  const began = preciseNow()
  const answers = posts.map(async (post, index) => {
    await after(Math.max(0, began + index * paced.every - preciseNow()))
    const sent = preciseNow()
    await send(port, router, post)
    return preciseNow() - sent
  })
  return Promise.all(answers)
}

/** How long the disk alone takes meanwhile for a few pages. */
async function writeBeside(folder: string): Promise<Milliseconds[]> {
  const file = await open(join(folder, 'beside'), 'w')
  const pages = Buffer.alloc(16 * 1_024)
  const took: Milliseconds[] = []
  for (let index = 0; index < 100; index += 1) {
    await after((paced.count * paced.every) / 100)
    const began = preciseNow()
    await file.write(pages)
    await file.datasync()
    took.push(preciseNow() - began)
  }
  await file.close()
  return took
}

async function inTurns(
  server: Started<RelayServer>,
  bare: Started<BareHook>,
  port: number,
  paths: readonly string[],
): Promise<Pair[]> {
  const barePort = await bare.ask('listen')
  const pairs: Pair[] = []
  for (let round = 0; round < rounds; round += 1) {
    const posts = Array.from({ length: postsARound }, (_, index) =>
      bytesOf(port, buildPost(paths[index % paths.length]!)),
    )
    const onto = async (of: number, usage: () => Promise<Usage>): Promise<Measured> => {
      let next = 0
      const before = await usage()
      const one = await load(of, () => posts[next++ % postsARound]!, busy)
      return { ...one, cpu: ((await usage()).cpu - before.cpu) / next }
    }
    pairs.push({
      bare: await onto(barePort, () => bare.ask('usage')),
      ours: await onto(port, () => server.ask('usage')),
    })
  }
  return pairs
}

function ratio(kind: 'sqlite' | 'postgres', pairs: readonly Pair[]): Row {
  const middle = (of: (pair: Pair) => number) => tell(median(pairs.map(of)))
  return atLeast(
    `relay, ${kind}, deliveries kept, beside bare http`,
    median(pairs.map(({ ours, bare }) => ours.perSecond / bare.perSecond)),
    leastOfBare[kind],
    '×',
    [
      `${middle(({ ours }) => ours.perSecond)} and ${middle(({ bare }) => bare.perSecond)} a second`,
      `${middle(({ ours }) => ours.cpu * 1_000)} and ${middle(({ bare }) => bare.cpu * 1_000)} µs CPU each`,
    ].join('; '),
  )
}

/** What is lost, or comes twice without having been in flight, while a server is killed and Discord fails. */
async function killed(): Promise<Row> {
  const { accepted, lost, twice, again, disorder } = await inFolder((env) => relayStorm({ ...storm, env }))
  return {
    name: 'relay, events lost, twice or in disorder',
    figure: `${lost} + ${twice} + ${disorder}`,
    limit: '0',
    used: lost + twice + disorder === 0 ? 0 : Number.POSITIVE_INFINITY,
    seen: `${accepted} events to ${webhooks} webhooks, an outage, ${storm.kills} kills; ${again} that were in flight came again`,
  }
}

async function inFolder<T>(work: (env: Record<string, string> & { DATA_DIR: string }) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-bench-'))
  try {
    return await work({ DATA_DIR: folder, APP_SECRET: randomBytes(24).toString('hex'), LOG_LEVEL: 'error' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
