import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { startProgram } from '../program.ts'

/** Starts PgBouncer in transaction mode for this server; undefined if not installed. `through` rewrites a URL to it. */
export async function startPgBouncer(server: string) {
  const own = await freePort()
  const { hostname, port, username, password } = new URL(server)
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${port} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 4',
  ]
  const program = await startProgram('/usr/sbin/pgbouncer', own, (folder) => {
    const file = join(folder, 'pgbouncer.ini')
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 })
    // PgBouncer refuses to run as root.
    return [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file]
  })
  const through = (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(own) }).href
  return program && { through, stop: program.stop }
}
