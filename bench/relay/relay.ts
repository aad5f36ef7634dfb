import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import type { Milliseconds } from '../../src/shared/time.ts'
import { startPostgres } from '../../test/support/database/start-postgres.ts'
import { freePort } from '../../test/support/free-port.ts'
import { relayStorm } from '../../test/support/scenes/relay/relay-storm.ts'
import { median, preciseNow } from '../stage/measure.ts'
import { start } from '../stage/process.ts'
import { atMost, type Row } from '../table.ts'
import { openDiscord } from './discord.ts'
import { ingest } from './ingest.ts'
import { buildPost, secret, send } from './posts.ts'
import type { RelayServer } from './server.ts'

const webhooks = 20
const arrivals = 12
const arrivesWithin = 50
const storm = { webhooks, events: 50, kills: 3, every: 200 }

/** Compares Heroku's deliveries with bare servers, and measures their time to Discord and losses due to kills. */
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
  const port = await freePort()
  return inFolder(async (env) => {
    const serverEnv = { ...env, ALLOW_PRIVATE_CIDRS: '127.0.0.0/8', DISCORD_URL: discord.url, PORT: String(port) }
    const server = await start<RelayServer>('relay/server.ts', { ...serverEnv, ...more })
    try {
      const paths = await server.ask('lead', { webhooks: Array.from({ length: webhooks }, webhookUrl), secret })
      await server.ask('work')
      const arrived = await arrive(discord, port, paths)
      discord.hang()
      const beside = { ...env, ...more, DATA_DIR: join(env.DATA_DIR, 'beside') }
      return [
        atMost(`relay, ${kind}, event to Discord`, median(arrived), arrivesWithin, 'ms', 'nothing else to do'),
        ...(await ingest(kind, { port, paths, router, usage: () => server.ask('usage') }, beside)),
      ]
    } finally {
      await server.ask('stop')
      server.end()
      router.destroy()
      discord.close()
    }
  })
}

const webhookUrl = (_: unknown, index: number) =>
  `https://discord.com/api/webhooks/${100_000_000_000_000_000n + BigInt(index)}/${randomBytes(51).toString('base64url')}`

/** Times from the start of a post until Discord receives the message, one post after the other. */
async function arrive({ next }: Awaited<ReturnType<typeof openDiscord>>, port: number, paths: readonly string[]) {
  const took: Milliseconds[] = []
  for (let index = 0; index < arrivals; index += 1) {
    const post = buildPost(paths[index % paths.length]!)
    const received = next()
    const began = preciseNow()
    await send(port, router, post)
    took.push((await received) - began)
    await after(200)
  }
  return took
}

/** Acts as Heroku, which keeps its connections open. */
const router = new Agent({ keepAlive: true, maxSockets: 64 })

/** Counts events that are lost, duplicated or out of order while the server is killed and Discord fails. */
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
