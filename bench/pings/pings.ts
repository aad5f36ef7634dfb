import { setTimeout as after } from 'node:timers/promises'
import { type Milliseconds, minutes, seconds } from '../../src/shared/time.ts'
import { median, preciseNow, quantile, type Usage } from '../stage/measure.ts'
import { type Started, start } from '../stage/process.ts'
import { openScene, type Scene } from '../stage/scene.ts'
import { planTurns, seedEntries, seedRuns } from '../stage/seed.ts'
import { atMost, formatFigure, type Row } from '../table.ts'
import type { Bare } from './bare.ts'

const idleFor = seconds(2)
const warmFor = seconds(4)
const windows = 3
const windowFor = seconds(8)
/** The index of the bare loop's first host, after all of ours. */
const bareHosts = 200_000

/** The bare loop stores the time of each ping, but checks no address and keeps no result. */
const cpuTimesBare = 1.33
const latenessTimesBare = 4
const mostMegabytes = 80
const mostBytesAPing = 30

type Load = {
  entries: number
  every: Milliseconds
  spacing: Milliseconds
  prepareFor: Milliseconds
  runs: 'all' | 'none'
}
const few: Load = { entries: 1_000, every: seconds(10), spacing: 10, prepareFor: seconds(8), runs: 'all' }
const many: Load = {
  entries: 100_000,
  every: minutes(28),
  spacing: minutes(28) / 100_000,
  prepareFor: seconds(25),
  runs: 'none',
}
type Paced = { cpu: Milliseconds; lateness: Milliseconds }

/** Measures 1,000 entries at 100 pings a second, then 100,000 at 60, alongside a bare loop at the same pace. */
export async function pings(): Promise<Row[]> {
  const busy = await measure(few)
  const crowded = await measure(many)
  const [ours, bare] = [busy.ours, busy.bare]
  const core = crowded.ours.cpu / many.spacing
  return [
    atMost(
      '1,000 entries, 100 pings/s: CPU a ping',
      ours.cpu / bare.cpu,
      cpuTimesBare,
      '× bare',
      `${formatFigure(ours.cpu)} ms; bare ${formatFigure(bare.cpu)} ms`,
    ),
    atMost(
      '1,000 entries, 100 pings/s: lateness p99',
      ours.lateness / bare.lateness,
      latenessTimesBare,
      '× bare',
      `${formatFigure(ours.lateness)} ms; bare ${formatFigure(bare.lateness)} ms`,
    ),
    atMost('memory above the same process idle', busy.rssAbove / 1024 / 1024, mostMegabytes, 'MB', 'at its peak'),
    atMost('database growth a ping', busy.bytesAPing, mostBytesAPing, 'bytes', 'each entry has 200 runs'),
    atMost(
      '100,000 entries, 60 pings/s: CPU a ping',
      crowded.ours.cpu / crowded.bare.cpu,
      cpuTimesBare,
      '× bare',
      `${formatFigure(core * 100)} % of a core; bare ${formatFigure((crowded.bare.cpu / many.spacing) * 100)} %`,
    ),
  ]
}

async function measure(load: Load) {
  const scene = await openScene()
  const bare = await start<Bare>('pings/bare.ts', { BARE_FOLDER: scene.folder })
  try {
    const ids = await scene.prepare((db) => seedEntries(db, load.entries, scene.port))
    if (load.runs === 'all') await scene.prepare((db) => seedRuns(db, Date.now()))
    const from = Math.round(preciseNow() + load.prepareFor)
    await scene.prepare((db) => planTurns(db, ids, from, load.spacing))
    return await watch(scene, bare, load, from)
  } finally {
    bare.end()
    scene.close()
  }
}

async function watch(scene: Scene, bare: Started<Bare>, load: Load, from: number) {
  const { target, port } = scene
  const sizeBefore = scene.size()
  const program = await scene.program(`${load.every}ms`)
  await program.ask('work')
  if (preciseNow() + idleFor + 500 > from) throw new Error('This machine is too busy to prepare the entries in time.')
  await after(from - idleFor - 500 - preciseNow())
  const resting = await program.ask('usage')
  await after(idleFor)
  const idle = await program.ask('usage')
  const idleCore = (idle.cpu - resting.cpu) / (idle.at - resting.at)

  await after(from - preciseNow())
  const plan = { port, first: bareHosts, spacing: load.spacing }
  await bare.ask('run', { ...plan, from, count: Math.floor(warmFor / load.spacing) })
  const warm = await target.ask('take')
  let visits = warm.seen.filter(({ index }) => index < bareHosts).length
  const paced = { ours: [] as Paced[], bare: [] as Paced[] }
  const count = Math.floor(windowFor / load.spacing)
  let last: Usage = idle
  for (let window = 0; window < windows; window += 1) {
    const first = await program.ask('usage')
    const start = preciseNow() + load.spacing
    const bareCpu = await bare.ask('run', { ...plan, from: start, count })
    last = await program.ask('usage')
    const { seen } = await target.ask('take')
    const ours = seen.filter(({ index }) => index < bareHosts)
    const theirs = seen.filter(({ index }) => index >= bareHosts)
    visits += ours.length
    paced.ours.push({
      cpu: (last.cpu - first.cpu - idleCore * (last.at - first.at)) / ours.length,
      lateness: p99(ours.map(({ index, at }) => lateBy(at - Math.round(from + index * load.spacing), load.every))),
    })
    paced.bare.push({
      cpu: bareCpu / count,
      lateness: p99(theirs.map(({ index, at }) => at - (start + (index - bareHosts) * load.spacing))),
    })
  }
  await program.ask('stop')
  program.end()
  visits += (await target.ask('take')).seen.length
  return {
    ours: medians(paced.ours),
    bare: medians(paced.bare),
    rssAbove: last.peak - idle.rss,
    bytesAPing: (scene.size() - sizeBefore) / visits,
  }
}

const p99 = (values: readonly number[]) => quantile(values, 0.99)

/** The delay of a visit after its due time; negative if it was early. */
const lateBy = (sinceFirst: Milliseconds, every: Milliseconds) => sinceFirst - Math.round(sinceFirst / every) * every

/** Medians, because a burst of another program can spoil one of three windows. */
const medians = (all: readonly Paced[]): Paced => ({
  cpu: median(all.map((one) => one.cpu)),
  lateness: median(all.map((one) => one.lateness)),
})
