import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'

const program = '/usr/sbin/pgbouncer'

/** A real PgBouncer in transaction mode before this server, to which a URL leads `through` it; undefined if none is installed. */
export async function startPgBouncer(server: string) {
  if (!existsSync(program)) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-pgbouncer-'))
  // It does not run as root and must be able to enter.
  chmodSync(folder, 0o755)
  const file = join(folder, 'pgbouncer.ini')
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
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 })
  const child = spawn(program, [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' })
  const stop = async () => {
    if (child.exitCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', () => child.kill('SIGKILL'))
  for (let tries = 0; !(await listens(own)); tries += 1) {
    if (tries === 200 || child.exitCode !== null) throw new Error('PgBouncer does not start.')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const through = (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(own) }).href
  return { through, stop }
}

function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
  }).then((yes) => {
    socket.destroy()
    return yes === true
  })
}
