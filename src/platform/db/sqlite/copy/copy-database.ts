import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { sync } from '../../../durable.ts'
import { unavailabilityOf } from '../error.ts'

/** Makes a consistent copy in one new file while writers go on; it is the owner's alone from its first byte. */
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
