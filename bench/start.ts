import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type Milliseconds, minutes, seconds } from '../src/shared/time.ts'
import { freePort } from '../test/support/free-port.ts'
import { median } from './stage/measure.ts'
import { atMost, type Row } from './table.ts'

const rounds = 5
const listensWithin = 1_200
const memory = 120
/** What only the start needed is given back by then. */
const idleAfter = seconds(60)
const idleFor = seconds(60)
const wakings = 10
const processor = 200
const metricsToken = 'bench'

type Server = { url: string; group: number }
/** Bytes; wakings a second of all threads; CPU a minute. */
type Idle = { memory: number; wakings: number; cpu: Milliseconds }

/** `npm start` on a data folder that is there already: until it listens, and what it takes once it idles. */
export async function starting(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-bench-'))
  try {
    // Makes the database, and compiles everything.
    await startOnce(folder)
    const all: Milliseconds[] = []
    for (let round = 0; round < rounds; round += 1) all.push(await startOnce(folder))
    let idle: Idle | undefined
    await startOnce(folder, async (server) => {
      idle = await idling(server)
    })
    const row = (what: string, figure: number, limit: number, unit: string) =>
      atMost(`${what} of an idle server`, figure, limit, unit, 'without entries or visitors')
    return [
      atMost('second npm start, until it listens', median(all), listensWithin, 'ms', ''),
      row('memory', idle!.memory / 1e6, memory, 'MB'),
      row('wakings', idle!.wakings, wakings, 'a second'),
      row('CPU', idle!.cpu, processor, 'ms a minute'),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startOnce(folder: string, meanwhile?: (server: Server) => Promise<void>): Promise<Milliseconds> {
  const port = await freePort()
  const began = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: join(import.meta.dirname, '..'),
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
  // npm, its shell, the launcher and the server.
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
  const [before, woken] = [await metricsOf(url), wakingsOf(group)]
  await after(idleFor)
  const wakings = (wakingsOf(group) - woken) / (idleFor / 1_000)
  const { memory, cpu } = await metricsOf(url)
  return { memory, cpu: ((cpu - before.cpu) * minutes(1)) / idleFor, wakings }
}

async function metricsOf(url: string) {
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const text = await metrics.text()
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return { memory: figure('process_resident_memory_bytes'), cpu: figure('process_cpu_seconds_total') * 1_000 }
}

/** How often the threads of these processes have waited and were woken. Linux counts it. */
function wakingsOf(group: number): number {
  const statuses = globSync('/proc/[0-9]*/stat')
    .filter((path) => groupOf(read(path)) === group)
    .flatMap((path) => globSync(join(dirname(path), 'task/*/status')))
  return statuses.reduce(
    (sum, path) => sum + Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(read(path))?.[1] ?? 0),
    0,
  )
}

/** The fields after the name, which may hold spaces, are the state, the parent and the group. */
const groupOf = (stat: string) => Number(stat.slice(stat.lastIndexOf(')')).split(' ')[3])

/** A file of a process that may have ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
