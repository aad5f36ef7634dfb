import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Collects the output of a child process and kills it when this process exits. */
export function trackProcess(child: ChildProcess) {
  running.add(child)
  child.once('exit', () => running.delete(child))
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (words) => {
      printed += words
    })
  return { isRunning: () => running.has(child), printed: () => printed }
}

/** Starts a program; undefined if not installed. `prepare` fills its folder, open to all users, and returns args. */
export async function startProgram(path: string, port: number, prepare: (folder: string) => readonly string[]) {
  if (!existsSync(path)) return undefined
  const folder = mkdtempSync(join(tmpdir(), `toolbox-${basename(path)}-`))
  chmodSync(folder, 0o755)
  const { stop } = await whenListening(spawn(path, prepare(folder), { stdio: 'pipe' }), port)
  return {
    folder,
    async stop() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
export type Program = NonNullable<Awaited<ReturnType<typeof startProgram>>>

export async function whenListening(child: ChildProcess, port: number) {
  const { isRunning, printed } = trackProcess(child)
  for (let tries = 0; tries < 2_400 && !(await isOpen(port)); tries += 1) {
    if (!isRunning()) throw new Error(`${child.spawnfile} ended at once:\n${printed()}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return {
    async stop() {
      if (!isRunning()) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Whether a program listens on this port of loopback. */
export function isOpen(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
