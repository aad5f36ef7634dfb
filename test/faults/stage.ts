import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { nodeFlags } from '../../scripts/node-flags.mjs'
import { type Milliseconds, seconds } from '../../src/shared/time.ts'
import { runSql } from '../support/database/fresh-postgres.ts'
import type { Postgres } from '../support/database/start-postgres.ts'
import { fakeDiscord } from '../support/fakes/fake-discord.ts'
import { fakeWeb } from '../support/fakes/fake-web.ts'
import { freePort } from '../support/free-port.ts'
import { adminEnv, type Process, signedInClient, startProcess } from '../support/process.ts'
import { collectCleanUps } from './clean-ups.ts'
import { createDatabase, dropDatabase } from './database.ts'
import { ask, type Call, startLoad } from './load.ts'
import { tcpProxy } from './proxy.ts'
import { startWatch } from './watch.ts'

export type Database = 'sqlite' | 'postgres'
export type Stage = Awaited<ReturnType<typeof openStage>>

/** The interval between an entry's runs, and the delay allowed on a busy machine. */
export const every: Milliseconds = seconds(4)
export const margin: Milliseconds = seconds(2)
const entries = 12
const webhooks = 2

type Options = {
  database: Database
  postgres: Postgres | undefined
  instances: number
  env: Record<string, string>
  folder?: string | undefined
}

/** Starts the real server on a new database, with local targets and a fake Discord, under a steady load. */
export async function openStage({ database, postgres, instances, env, folder }: Options) {
  const cleaner = collectCleanUps()
  const own = mkdtempSync(join(tmpdir(), 'toolbox-faults-'))
  cleaner.add(() => rmSync(own, { recursive: true, force: true }))
  const data = folder ?? own
  const clock = join(own, 'clock')
  writeFileSync(clock, '0')

  const discord = await fakeDiscord()
  const web = await fakeWeb()
  const operatorHosts = await tcpProxy({ port: Number(new URL(discord.env.DISCORD_URL).port) })
  const targets = await tcpProxy({ port: web.port, host: '0.0.0.0' })
  const url = postgres ? await createDatabase(postgres, folder) : undefined
  const toDatabase = await tcpProxy({ port: postgres?.port ?? 1 })
  const operator = `http://127.0.0.1:${operatorHosts.port}`
  const ports = await Promise.all(Array.from({ length: instances }, freePort))
  const common: Record<string, string> = {
    APP_SECRET: 'a secret of at least thirty-two characters',
    ...adminEnv,
    DATA_DIR: data,
    DISCORD_URL: operator,
    GITHUB_URL: operator,
    GITHUB_API_URL: operator,
    GITHUB_CAMO_URL: operator,
    KEEPALIVE_EVERY: `${every}ms`,
    KEEPALIVE_TIMEOUT: '5s',
    RELAY_RETRY: Array(100).fill('1s').join(),
    LOG_LEVEL: 'warn',
    TOOLBOX_CLOCK: clock,
    ...env,
  }
  const running: (Process | undefined)[] = []
  /** The first instance reaches PostgreSQL through the proxy, the others directly. */
  const start = async (index = 0, more: Record<string, string> = {}) => {
    const address = url && (index === 0 ? toDatabase.through(url) : url)
    const own = { ...common, ...more, PORT: String(ports[index]), ...(address ? { DATABASE_URL: address } : {}) }
    const flags = [...nodeFlags, '--import', './test/faults/step-clock.ts']
    const started = await startProcess(own, flags)
    running[index] = started
    return started
  }
  const end = async (signal: 'SIGTERM' | 'SIGKILL', index = 0) => {
    const ending = running[index]
    running[index] = undefined
    if (!ending) return
    await ending.end(signal)
    // Messages in flight at the kill have no recorded outcome, so the next start sends them again.
    if (signal === 'SIGKILL') load.excuseNewest()
  }
  /** Stops the first instance and records how long it takes; kills it after the limit. */
  const stopInTime = async (longest: Milliseconds) => {
    const ending = running[0]
    running[0] = undefined
    const sentAt = performance.now()
    const tooLong = setTimeout(() => {
      wrong.push(`SIGTERM did not end it within ${longest / 1_000} s`)
      ending?.end('SIGKILL')
    }, longest)
    await ending?.end('SIGTERM')
    clearTimeout(tooLong)
    noted.push(`ended ${((performance.now() - sentAt) / 1_000).toFixed(1)} s after SIGTERM`)
  }
  const wrong: string[] = []
  const noted: string[] = []
  for (let index = 0; index < instances; index += 1) await start(index)
  const first = running[0]!
  const browser = await signedInClient(first.url)
  const wish = { name: 'faults', scopes: ['read', 'write'], expiresAt: null }
  const { key } = Object((await browser('POST', '/api/v1/user/apikeys', wish)).body)

  let inUse = running.map((_, index) => index)
  const servers = () => inUse.flatMap((index) => running[index]?.url ?? [])
  const call: Call = (method, path, body, server = servers()[0] ?? first.url) =>
    ask(server + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const create = async (tool: string, body: object) => {
    const answer = await call('POST', `/api/v1/${tool}/`, body)
    if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    return Object(answer.body)
  }

  let answerAfter: Milliseconds = 0
  const visits = new Map<string, Milliseconds[]>()
  /** Creates an entry at this host whose target records the times of visits; returns its id. */
  const entry = async (path: string, host: string, more: object = {}): Promise<string> => {
    const times: Milliseconds[] = []
    visits.set(path, times)
    web.on(path, (_visit, response) => {
      times.push(performance.now())
      // Paths under /hang never respond.
      if (!path.startsWith('/hang')) setTimeout(() => response.end('awake'), answerAfter)
    })
    return (await create('keepalive', { url: `http://${host}:${targets.port}${path}`, ...more })).id
  }
  const ids = await Promise.all(
    Array.from({ length: entries }, (_, index) => entry(`/awake/${index}`, `127.0.1.${index + 1}`)),
  )
  const edited = await entry('/edited', '127.0.1.200', { status: false, interval: 1 })
  const hooks = Array.from({ length: webhooks }, () => discord.webhook())
  const relays = await Promise.all(
    hooks.map(async (hook) => {
      const { herokuEndpoint, secret } = await create('herokudiscordwebhook', { discordHook: hook.url })
      return { hook, path: new URL(herokuEndpoint).pathname, secret }
    }),
  )

  const load = startLoad({
    servers: () => (servers().length > 0 ? servers() : [first.url]),
    call,
    discord,
    relays,
    edited,
  })
  const awake = () => [...visits].filter(([path]) => path.startsWith('/awake'))
  const began = performance.now()
  const late = () => {
    const now = performance.now()
    const overdue = awake().some(([, times]) => now - (times.at(-1) ?? began) > interval + margin)
    return [...(overdue ? ['entries'] : []), ...(load.relayBacklog() > seconds(4) ? ['relay'] : [])]
  }
  const interval = Number.parseInt(common.KEEPALIVE_EVERY!, 10)
  const watch = startWatch(servers, key, late)

  return {
    database,
    data,
    url,
    discord,
    web,
    hooks,
    ids,
    call,
    entry,
    visits,
    awake,
    start,
    end,
    running,
    load,
    watch,
    toDatabase,
    /** Proxies to all external services: after `refuse`, none responds until both are healed. */
    outside: [operatorHosts, targets] as const,
    postgres,
    slowTargets(ms: Milliseconds) {
      answerAfter = ms
    },
    use(...indexes: number[]) {
      inUse = indexes
    },
    async setClock(offset: Milliseconds) {
      writeFileSync(`${clock}.new`, String(offset))
      renameSync(`${clock}.new`, clock)
      await pause(100)
    },
    async change(statement: string): Promise<void> {
      if (url) return void (await runSql(url, statement))
      const file = new DatabaseSync(join(data, 'toolbox.db'), { timeout: 10_000 })
      file.exec(statement)
      file.close()
    },
    expect(isSo: boolean, otherwise: string) {
      if (!isSo) wrong.push(otherwise)
    },
    wrong,
    noted,
    stopInTime,
    /** Restarts a server that did not recover, so that its acknowledged writes can be checked. */
    async restart() {
      await Promise.all([operatorHosts, targets, toDatabase].map((proxy) => proxy.heal()))
      await end('SIGKILL')
      await start()
    },
    key,
    /** Waits for the recovery; returns the seconds it took from that moment. */
    async recovered(since: Milliseconds, limit: number, atLeast?: number): Promise<number> {
      const { seconds, still } = await watch.recovered(since, limit, atLeast)
      if (still) wrong.push(`still in trouble: ${still}`)
      load.recovered()
      return seconds
    },
    async close() {
      await Promise.all(running.map((_, index) => end('SIGKILL', index)))
      await watch.stop()
      for (const one of [discord, web, operatorHosts, targets, toDatabase]) await one.close()
      if (postgres && url) await dropDatabase(postgres, url)
      cleaner.clean()
    },
  }
}
