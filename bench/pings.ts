import { setTimeout as after } from 'node:timers/promises'
import type { Milliseconds } from '../src/shared/time.ts'
import { minutes, seconds } from '../src/shared/time.ts'
import type { Bare } from './bare.ts'
import { median, preciseNow, quantile, type Usage } from './measure.ts'
import { start } from './process.ts'
import { openScene, type Scene } from './scene.ts'
import { planTurns, seedEntries, seedRuns } from './seed.ts'
import { atMost, type Row, tell } from './table.ts'

const rounds = 3
const idleFor = seconds(2)
const warmFor = seconds(3)
const bareFor = seconds(4)
/** How much more than the bare loop a ping may use: it is guarded, planned and remembered. */
const cpuTimesBare = 2.5
const latenessTimesBare = 4
const mostBytesAbove = 80 * 1024 * 1024
const mostBytesAPing = 30

const steady = { entries: 1_000, every: seconds(10), spacing: 10, measureFor: seconds(10) }
const crowd = { entries: 100_000, every: minutes(28), spacing: minutes(28) / 100_000, measureFor: seconds(6) }
type Load = typeof steady

type Measured = { cpuAPing: Milliseconds; core: number; lateness: Milliseconds; rssAbove: number; bytesAPing: number }

/** 1,000 entries at 100 pings a second, then 100,000 at 60, beside a bare loop of timers and GETs at the same pace. */
export async function pings(): Promise<Row[]> {
  const few = await measure(steady)
  const many = await measure(crowd)
  const spare = (load: Load) => 1_000 / load.spacing
  return [
    atMost(
      'CPU a ping, 100 pings/s',
      few.ours.cpuAPing / few.bare.cpuAPing,
      cpuTimesBare,
      '× bare',
      `${tell(few.ours.cpuAPing)} ms; bare GET ${tell(few.bare.cpuAPing)} ms`,
    ),
    atMost(
      'lateness p99, 100 pings/s',
      few.ours.lateness / few.bare.lateness,
      latenessTimesBare,
      '× bare',
      `${tell(few.ours.lateness)} ms; bare timer ${tell(few.bare.lateness)} ms`,
    ),
    atMost('memory above idle', few.ours.rssAbove / 1024 / 1024, mostBytesAbove / 1024 / 1024, 'MB', ''),
    atMost('database growth a ping', few.ours.bytesAPing, mostBytesAPing, 'bytes', 'entries with 200 runs each'),
    atMost(
      '100,000 entries, CPU a ping',
      many.ours.cpuAPing / many.bare.cpuAPing,
      cpuTimesBare / 0.6,
      '× bare',
      `${tell(many.ours.core * 100)} % of a core at ${tell(spare(crowd))} pings/s`,
    ),
  ]
}

async function measure(load: Load): Promise<{ ours: Measured; bare: Pick<Measured, 'cpuAPing' | 'lateness'> }> {
  const scene = await openScene()
  try {
    const ids = await scene.prepare(async (db) => {
      const ids = await seedEntries(db, load.entries, scene.port)
      if (load.entries === steady.entries) await seedRuns(db, Date.now())
      return ids
    })
    const bare = []
    const ours = []
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await bareRound(scene, load))
      ours.push(await ourRound(scene, load, ids))
    }
    return { ours: medians(ours), bare: medians(bare) }
  } finally {
    scene.close()
  }
}

async function bareRound({ target, port }: Scene, { spacing }: Load) {
  const bare = await start<Bare>('bare.ts')
  await bare.ask('run', { port, from: preciseNow(), spacing, count: Math.floor(warmFor / spacing) })
  await target.ask('take')
  const from = preciseNow() + spacing
  const count = Math.floor(bareFor / spacing)
  const cpu = await bare.ask('run', { port, from, spacing, count })
  bare.end()
  const { seen } = await target.ask('take')
  const lateness = seen.map(({ index, at }) => at - (from + index * spacing))
  return { cpuAPing: cpu / count, lateness: quantile(lateness, 0.99) }
}

async function ourRound(scene: Scene, load: Load, ids: readonly string[]): Promise<Measured> {
  const from = Math.round(preciseNow()) + (load.entries / 100_000) * seconds(3) + seconds(5)
  await scene.prepare((db) => planTurns(db, ids, from, load.spacing))
  const sizeBefore = scene.size()
  const program = await scene.program(`${load.every}ms`)
  await program.ask('work')
  await after(from - idleFor - 200 - preciseNow())
  const resting = await program.ask('usage')
  await after(idleFor)
  const idle = await program.ask('usage')
  await after(from + warmFor - preciseNow())
  const samples: Usage[] = [await program.ask('usage')]
  while (samples.at(-1)!.at < from + warmFor + load.measureFor) {
    await after(500)
    samples.push(await program.ask('usage'))
  }
  await program.ask('stop')
  program.end()
  const { seen } = await scene.target.ask('take')
  const [first, last] = [samples[0]!, samples.at(-1)!]
  const counted = seen.filter(({ at }) => at >= first.at && at < last.at)
  const took = last.at - first.at
  const idleCore = (idle.cpu - resting.cpu) / (idle.at - resting.at)
  const cpu = last.cpu - first.cpu - idleCore * took
  const latenesses = counted.map(({ index, at }) => {
    const since = at - Math.round(from + index * load.spacing)
    return since - Math.round(since / load.every) * load.every
  })
  return {
    cpuAPing: cpu / counted.length,
    core: cpu / took,
    lateness: quantile(latenesses, 0.99),
    rssAbove: Math.max(...samples.map((sample) => sample.rss)) - idle.rss,
    bytesAPing: (scene.size() - sizeBefore) / seen.length,
  }
}

/** Of each field the median over the rounds: another program's burst spoils one of them. */
function medians<Fields extends Record<string, number>>(all: readonly Fields[]): Fields {
  return Object.fromEntries(Object.keys(all[0]!).map((name) => [name, median(all.map((one) => one[name]!))])) as Fields
}
