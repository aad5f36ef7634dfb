import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeEnv, nodeFlags } from '../../scripts/node-flags.mjs'
import { migrate } from '../../src/migrations.ts'
import type { Db } from '../../src/platform/db/open.ts'
import { openSqlite } from '../../src/platform/db/sqlite/open.ts'
import { freePort } from '../../test/support/free-port.ts'
import { startProcess } from '../../test/support/process.ts'
import { start } from './process.ts'
import type { Site } from './site.ts'
import type { Subject } from './subject.ts'
import type { Target } from './target.ts'

export type Scene = Awaited<ReturnType<typeof openScene>>

/** Opens a ping target and a data folder, which one server process after the other uses. */
export async function openScene() {
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-bench-'))
  const target = await start<Target>('stage/target.ts')
  const port = await target.ask('port')
  const sitePort = await freePort()
  const siteUrl = `http://127.0.0.1:${sitePort}`
  const env = {
    DATA_DIR: folder,
    APP_SECRET: randomBytes(24).toString('hex'),
    ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    LOG_LEVEL: 'error',
  }
  return {
    folder,
    env,
    target,
    port,
    /** Reads or changes the database while no server process uses it. */
    async prepare<T>(work: (db: Db) => Promise<T>): Promise<T> {
      const db = openSqlite(folder)
      try {
        await migrate(db)
        return await work(db)
      } finally {
        await db.close()
      }
    },
    /** The size of the database file in bytes; a server process checkpoints its WAL into it when it ends. */
    size: () => statSync(join(folder, 'toolbox.db')).size,
    /** The server's worker, not yet started. `every` is the ping interval; `more` are further variables. */
    program: (every: string, more: Record<string, string> = {}) =>
      start<Subject>('stage/subject.ts', { ...env, KEEPALIVE_EVERY: every, ...more }),
    /** The HTTP server, listening at `siteUrl`; `more` are further variables. */
    site: (more: Record<string, string> = {}) =>
      start<Site>('stage/site.ts', { ...env, ...more, PORT: String(sitePort) }),
    /** The built server as operators start it, listening at `siteUrl`. */
    async server(more: Record<string, string> = {}) {
      const token = { METRICS_TOKEN: 'bench' }
      const { end } = await startProcess({ ...nodeEnv, ...env, ...token, ...more, PORT: String(sitePort) }, nodeFlags)
      return {
        /** The 99th percentile of its event loop delay in ms since the last call, and its memory in bytes. */
        async measured() {
          const answer = await fetch(`${siteUrl}/metrics`, { headers: { authorization: 'Bearer bench' } })
          const text = await answer.text()
          const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
          return {
            loop: figure('nodejs_eventloop_lag_p99_seconds') * 1_000,
            rss: figure('process_resident_memory_bytes'),
          }
        },
        end: () => end('SIGTERM'),
      }
    },
    sitePort,
    siteUrl,
    /** The Cookie header of a browser after its first request with these headers. */
    async cookies(headers: Record<string, string>): Promise<Record<string, string>> {
      const answer = await fetch(`${siteUrl}/api/v1/config`, { headers })
      const cookies = answer.headers.getSetCookie().map((line) => line.split(';', 1)[0])
      return { cookie: [headers.cookie, ...cookies].filter(Boolean).join('; ') }
    },
    close() {
      target.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
