import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { seconds } from '../../src/shared/time.ts'
import { type Postgres, startPostgres } from '../support/database/start-postgres.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { type SmallDisk, smallDisk } from './small-disk.ts'
import { type Database, openStage, type Stage } from './stage.ts'

/**
 * Injects every fault into the real server under load. Each argument selects the faults whose name or database contains
 * it; several words in quotes must all be contained. `--seed=N` repeats a run's random moments.
 */
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const seedOption = process.argv.find((word) => word.startsWith('--seed='))?.slice('--seed='.length)
const seed = Number(seedOption ?? Math.floor(Math.random() * 1e9))
const isWanted = (name: string) =>
  words.length === 0 || words.some((some) => some.split(' ').every((word) => name.includes(word)))
const selectScenarios = (database: Database) =>
  scenarios.filter(({ name, databases }) => databases.includes(database) && isWanted(`${name} ${database}`))

type Row = {
  fault: string
  database: Database
  tries: number
  acknowledged: number
  lost: number
  repeated: number
  /** Seconds until full recovery; null if there was none. */
  recovered: number | null
  limit: number
  wrong: readonly string[]
  /** Remarks that are not failures. */
  noted: readonly string[]
  skipped?: string
}

const isPassing = ({ wrong, skipped }: Row): boolean => wrong.length === 0 || skipped !== undefined

const head = ['fault', 'database', 'tries', 'acknowledged', 'lost', 'repeated', 'recovered', 'limit', '']

function table(rows: readonly Row[]): string {
  const lines = [head, ...rows.map(cells)]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const asText = (line: readonly string[]) =>
    line
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  const remarks = rows.flatMap(({ fault, database, wrong, skipped, noted }) =>
    [...wrong, ...(skipped ? [`not tried: ${skipped}`] : []), ...noted].map((one) => `${fault} (${database}): ${one}`),
  )
  return [...lines.map(asText), '', ...remarks].join('\n').trimEnd()
}

function cells(row: Row): string[] {
  const { fault, database, skipped } = row
  if (skipped) return [fault, database, '', '', '', '', '', '', 'skipped']
  const counts = [row.tries, row.acknowledged, row.lost, row.repeated].map(String)
  const recovered = row.recovered === null ? 'never' : `${row.recovered.toFixed(1)} s`
  return [fault, database, ...counts, recovered, `${row.limit} s`, isPassing(row) ? 'ok' : 'FAILED']
}

async function onSqlite(): Promise<Row[]> {
  const rows: Row[] = []
  for (const scenario of selectScenarios('sqlite')) rows.push(report(await runScenario(scenario, 'sqlite', undefined)))
  return rows
}

async function onPostgres(): Promise<Row[]> {
  const selected = selectScenarios('postgres')
  if (selected.length === 0) return []
  const rows: Row[] = []
  const postgres = await startPostgres(['-c', 'max_connections=100'])
  try {
    for (const scenario of selected) rows.push(report(await runScenario(scenario, 'postgres', postgres)))
    return rows
  } finally {
    await postgres.stop()
  }
}

async function runScenario(scenario: Scenario, database: Database, postgres: Postgres | undefined): Promise<Row> {
  const { name, limit, instances = 1, env = {} } = scenario
  console.error(`${name} (${database}): begins`)
  const row = { fault: name, database, limit, tries: 0, acknowledged: 0, lost: 0, repeated: 0, recovered: null }
  let disk: SmallDisk | undefined
  try {
    disk = scenario.disk ? smallDisk(scenario.disk) : undefined
  } catch {
    return { ...row, wrong: [], noted: [], skipped: 'a disk of its own can only be mounted by root' }
  }
  let stage: Stage | undefined
  try {
    stage = await openStage({ database, postgres, instances, env, folder: disk?.folder })
    await pause(seconds(6))
    const random = randomOf(`${seed} ${name} ${database}`)
    const { tries, seconds: recovered } = await scenario.run(stage, { limit, random, disk })
    const refusals = refusalsOf(stage, scenario.breaks ?? false)
    if (recovered === Number.POSITIVE_INFINITY) await stage.restart()
    const { acknowledged, lost, repeated, wrong } = await stage.load.audit(seconds(60))
    const all = [
      ...(lost > 0 ? [`${lost} lost`] : []),
      ...(recovered > limit && Number.isFinite(recovered) ? [`took ${recovered.toFixed(1)} s, limit ${limit} s`] : []),
      ...stage.wrong,
      ...wrong,
      ...refusals,
    ]
    const finiteSeconds = Number.isFinite(recovered) ? recovered : null
    return { ...row, tries, acknowledged, lost, repeated, recovered: finiteSeconds, wrong: all, noted: stage.noted }
  } catch (error) {
    return { ...row, wrong: [`broke off: ${inspect(error)}`], noted: [] }
  } finally {
    await stage?.close().catch((error: unknown) => console.error(error))
    disk?.unmount()
  }
}

function report(row: Row): Row {
  console.error(`${row.fault} (${row.database}): ${isPassing(row) ? 'ok' : row.wrong.join('; ')}`)
  return row
}

/** Random numbers from 0 to 1, the same sequence for the same words. */
function randomOf(words: string): () => number {
  let count = 0
  return () => createHash('sha256').update(`${words} ${count++}`).digest().readUInt32LE() / 2 ** 32
}

/** Unacceptable responses: internal errors, and missing responses if the server was running all the time. */
function refusalsOf({ load }: Stage, mayBreak: boolean): string[] {
  return [...load.refusals].flatMap(([what, count]) => {
    const isBad = / 500\b/.test(what) || (!mayBreak && / 0$/.test(what))
    return isBad ? [`${count} × ${what}`] : []
  })
}

if (selectScenarios('sqlite').length + selectScenarios('postgres').length === 0) {
  console.error(`No fault has one of these words: ${words.join(', ')}\nThe faults are:`)
  for (const { name, databases } of scenarios) console.error(`  ${name} (${databases.join(', ')})`)
  process.exit(2)
}
console.error(`seed ${seed}`)
const began = performance.now()
const rows = (await Promise.all([onSqlite(), onPostgres()])).flat()
console.log(table(rows))
const folder = join(import.meta.dirname, '..', '..', '.tmp')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'faults.json'), `${JSON.stringify({ seed, rows }, null, 2)}\n`)
const failed = rows.filter((row) => !isPassing(row)).length
const took = Math.round((performance.now() - began) / 1_000)
console.log(`${rows.length - failed} passed, ${failed} failed, in ${took} s, seed ${seed}`)
process.exit(failed > 0 ? 1 : 0)
