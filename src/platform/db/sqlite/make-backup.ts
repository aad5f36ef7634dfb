import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { sync, writeAtomically } from '../../durable.ts'
import { label } from '../label.ts'
import { unavailabilityOf } from './execute.ts'
import { inspect, tablesIn, total, writeDigest } from './inspect.ts'

export type BackupOrder = {
  from: string
  /** A file that doesn't exist yet. */
  to: string
  /** Tables whose rows are left out. Names of missing tables are ignored. */
  without: readonly string[]
}

/** Copies a database in use and checks the copy by reading all of it. `to` appears complete or not at all. */
export async function makeBackup({ from, to, without }: BackupOrder): Promise<{ rows: number }> {
  let rows = 0
  await writeAtomically(to, (part) => {
    copyDatabase(from, part)
    strip(part, without)
    rows = total(inspect(part).rows)
    writeDigest(part)
    label(part, rows)
  })
  return { rows }
}

/** Deletes all rows of these tables and overwrites their bytes. */
function strip(file: string, without: readonly string[]): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma secure_delete = on')
    const names = tablesIn(database).filter((name) => without.includes(name))
    for (const name of names) database.exec(`delete from "${name}"`)
  } finally {
    database.close()
  }
}

/** Makes a consistent copy while writers continue. From its first byte on, only its owner can access the file. */
export function copyDatabase(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true, timeout: 5_000 })
  try {
    closeSync(openSync(to, 'wx', 0o600))
    database.prepare('vacuum into ?').run(to)
  } catch (cause) {
    const why = unavailabilityOf(cause)
    if (why === 'damaged') throw new Error(`${from} is damaged (${Object(cause).message}).`, { cause })
    if (why === 'full') throw new Error(`Not enough disk space for ${to}.`, { cause })
    throw cause
  } finally {
    database.close()
  }
  sync(to)
}

export type BackupAnswer = { rows: number } | { failure: string }

/** Makes a backup as `makeBackup` does, but in its own thread. Throws an Error whose message is a sentence. */
export async function backUp(order: BackupOrder): Promise<{ rows: number }> {
  const thread = new Worker(new URL('./backup-thread.ts', import.meta.url), {
    workerData: order,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })
  const [answer]: [BackupAnswer] = (await once(thread, 'message')) as [BackupAnswer]
  await thread.terminate()
  if ('failure' in answer) throw new Error(answer.failure)
  return answer
}
