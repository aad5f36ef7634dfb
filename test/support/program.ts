import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

export type Program = { folder: string; printed: () => string; stop: () => Promise<void> }

/**
 * A program of the system that listens on a port, with these arguments once its folder is prepared; undefined if it is not
 * installed. It may enter the folder as another user.
 */
export async function startProgram(
  path: string,
  port: number,
  prepare: (folder: string) => readonly string[],
): Promise<Program | undefined> {
  if (!existsSync(path)) return undefined
  const folder = mkdtempSync(join(tmpdir(), `toolbox-${basename(path)}-`))
  chmodSync(folder, 0o755)
  const child = spawn(path, prepare(folder), { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (words) => {
      printed += words
    })
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  for (let tries = 0; !(await listens(port)); tries += 1) {
    if (tries === 600 || child.exitCode !== null) throw new Error(`${path} does not start: ${printed}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const stop = async () => {
    process.off('exit', end)
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, printed: () => printed, stop }
}

function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
