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

/** A target to ping and a data folder, in which one program after the other works. */
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
    /** The variables that every program here is started with. */
    env,
    target,
    port,
    /** Looks into the database, or changes it, while no program runs on it. */
    async prepare<T>(work: (db: Db) => Promise<T>): Promise<T> {
      const db = openSqlite(folder)
      try {
        await migrate(db)
        return await work(db)
      } finally {
        await db.close()
      }
    },
    /** Bytes of the database file; a program that has ended has moved its log into it. */
    size: () => statSync(join(folder, 'toolbox.db')).size,
    /** The program, its worker not yet at work. `every` is how often an entry is pinged; `more` are further variables. */
    program: (every: string, more: Record<string, string> = {}) =>
      start<Subject>('stage/subject.ts', { ...env, KEEPALIVE_EVERY: every, ...more }),
    /** The program's HTTP side, listening at `siteUrl`; `more` is more of its configuration. */
    site: (more: Record<string, string> = {}) =>
      start<Site>('stage/site.ts', { ...env, ...more, PORT: String(sitePort) }),
    /** The server as people start it, built, listening at `siteUrl`. */
    async server(more: Record<string, string> = {}) {
      const token = { METRICS_TOKEN: 'bench' }
      const { end } = await startProcess({ ...nodeEnv, ...env, ...token, ...more, PORT: String(sitePort) }, nodeFlags)
      return {
        /** How long its event loop was late at most in 99 of 100 looks since this was last asked, in milliseconds, and its memory in bytes. */
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
    /** The cookies of a browser that comes with these headers and has looked around once, as a header. */
    async cookies(headers: Record<string, string>): Promise<Record<string, string>> {
      const answer = await fetch(`${siteUrl}/api/v1/config`, { headers })
      const given = answer.headers.getSetCookie().map((line) => line.split(';', 1)[0])
      return { cookie: [headers.cookie, ...given].filter(Boolean).join('; ') }
    },
    close() {
      target.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
