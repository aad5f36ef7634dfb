import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type Milliseconds, seconds } from '../src/shared/time.ts'
import { freePort } from '../test/support/free-port.ts'
import { median } from './stage/measure.ts'
import { atMost, type Row } from './table.ts'

const rounds = 5
const listensWithin = 1_200
const memory = 120
/** What only the start needed is given back by then. */
const idleAfter = seconds(15)
const metricsToken = 'bench'

type Started = { took: Milliseconds; idle: number }

/** `npm start` on a data folder that is there already: until it listens, and what it keeps in memory once it idles. */
export async function starting(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'toolbox-bench-'))
  try {
    // Makes the database, and compiles everything.
    await startOnce(folder, 0)
    const all: Started[] = []
    for (let round = 0; round < rounds; round += 1) all.push(await startOnce(folder, round === 0 ? idleAfter : 0))
    return [
      atMost('second npm start, until it listens', median(all.map(({ took }) => took)), listensWithin, 'ms', ''),
      atMost('memory of an idle server', all[0]!.idle / 1e6, memory, 'MB', 'without entries or visitors'),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startOnce(folder: string, resting: Milliseconds): Promise<Started> {
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
  await after(resting)
  const idle = await residentBytes(url)
  // npm, its shell, the launcher and the server.
  process.kill(-child.pid!, 'SIGTERM')
  await exited
  while (await answers(`${url}/healthz`)) await after(50)
  return { took, idle }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

async function residentBytes(url: string): Promise<number> {
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await metrics.text())?.[1])
}
