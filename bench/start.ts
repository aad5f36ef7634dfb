import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type Milliseconds, minutes, seconds } from '../src/shared/time.ts'
import { freePort } from '../test/support/free-port.ts'
import { median } from './stage/measure.ts'
import { atMost, type Row } from './table.ts'

const rounds = 5
/** The minimal program for `npm start`. Ours also loads 5 MB of code, which takes 2 to 5 times as long as npm does. */
const least = `require('node:http').createServer((_, answer) => answer.end()).listen(process.env.PORT, '127.0.0.1')`
const longerThanLeast = 6
/** Nearly half of it is Node's program file, of which systems keep more or less in memory. */
const memory = 130
/** By this time, memory that only the start needed is released. */
const idleAfter = seconds(60)
const idleFor = seconds(60)
const wakings = 10
const processor = 200
const metricsToken = 'bench'
const root = join(import.meta.dirname, '..')

type Server = { url: string; group: number }
/** Memory in bytes, wake-ups of all threads per second, and CPU time per minute. */
type Idle = { memory: number; wakings: number; cpu: Milliseconds }

/** Measures `npm start` with an existing data folder: the time until it listens, and its cost when idle. */
export async function starting(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-bench-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: 'node least.cjs' } }))
  writeFileSync(join(folder, 'least.cjs'), least)
  try {
    // Creates the database and fills the compile cache.
    await startOnce(root, folder)
    const all: Milliseconds[] = []
    const ofLeast: Milliseconds[] = []
    for (let round = 0; round < rounds; round += 1) {
      ofLeast.push(await startOnce(folder, folder))
      all.push(await startOnce(root, folder))
    }
    let idle: Idle | undefined
    await startOnce(root, folder, async (server) => {
      idle = await idling(server)
    })
    const row = (what: string, figure: number, limit: number, unit: string) =>
      atMost(`${what} of an idle server`, figure, limit, unit, 'without entries or visitors')
    return [
      atMost(
        'second npm start, until it listens',
        median(all),
        longerThanLeast * median(ofLeast),
        'ms',
        `limit: ${longerThanLeast} times as long as the least program`,
      ),
      row('memory', idle!.memory / 1e6, memory, 'MB'),
      row('wakings', idle!.wakings, wakings, 'a second'),
      row('CPU', idle!.cpu, processor, 'ms a minute'),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startOnce(
  cwd: string,
  folder: string,
  meanwhile?: (server: Server) => Promise<void>,
): Promise<Milliseconds> {
  const port = await freePort()
  const began = performance.now()
  const child = spawn('npm', ['start'], {
    cwd,
    env: { ...process.env, DATA_DIR: folder, PORT: String(port), METRICS_TOKEN: metricsToken, LOG_LEVEL: 'error' },
    stdio: 'ignore',
    detached: true,
  })
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  while (!(await answers(`${url}/healthz`))) {
    if (child.exitCode !== null) throw new Error(`npm start ended with code ${child.exitCode}.`)
    await after(5)
  }
  const took = performance.now() - began
  // The process group of npm, its shell, the launcher and the server.
  const group = child.pid!
  await meanwhile?.({ url, group })
  process.kill(-group, 'SIGTERM')
  await exited
  while (await answers(`${url}/healthz`)) await after(50)
  return took
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

async function idling({ url, group }: Server): Promise<Idle> {
  await after(idleAfter)
  const before = usedBy(group)
  await after(idleFor)
  const now = usedBy(group)
  return {
    wakings: (now.wakings - before.wakings) / (idleFor / 1_000),
    cpu: ((now.cpu - before.cpu) * minutes(1)) / idleFor,
    // Last, because answering this request uses memory.
    memory: await residentBytes(url),
  }
}

async function residentBytes(url: string): Promise<number> {
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await metrics.text())?.[1])
}

/** The wake-ups and CPU time in ms of all threads in this process group, as counted by Linux. */
function usedBy(group: number) {
  const used = { wakings: 0, cpu: 0 }
  for (const path of globSync('/proc/[0-9]*/stat')) {
    const stat = read(path)
    // The fields after the name, which may contain spaces; https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const fields = stat.slice(stat.lastIndexOf(')')).split(' ').map(Number)
    if (fields[3] !== group) continue
    for (const task of globSync(join(dirname(path), 'task/*'))) {
      used.wakings += Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(read(join(task, 'status')))?.[1] ?? 0)
      // In nanoseconds, since the ticks of `stat` are too coarse. https://docs.kernel.org/scheduler/sched-stats.html
      used.cpu += Number(read(join(task, 'schedstat')).split(' ')[0]) / 1e6
    }
  }
  return used
}

/** Reads a file in /proc; empty if its process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
