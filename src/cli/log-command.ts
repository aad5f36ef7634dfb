import { basename } from 'node:path'
import { isMigrated } from '../migrations.ts'
import { commandLine, writeAudit } from '../people/audit/log.ts'
import { type Terminal, withDatabase } from './terminal.ts'

/** Writes into the audit log that a command has copied or replaced the whole database; a log that can't be written undoes nothing. */
export async function logCommand(
  terminal: Terminal,
  action: 'data.backup' | 'data.restore' | 'data.export',
  file: string,
): Promise<void> {
  const target = { id: null, name: basename(file) }
  try {
    await withDatabase(terminal, async (db) => {
      if (await isMigrated(db)) await writeAudit(db.q, Date.now(), { actor: commandLine, action, target })
    })
  } catch (error) {
    terminal.say(`This isn't in the audit log: ${error instanceof Error ? error.message : error}`)
  }
}
