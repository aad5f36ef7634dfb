import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { variables } from '../../config.ts'
import { readConfig } from '../../platform/config/config.ts'
import { copyDatabase } from '../../platform/db/sqlite/copy/copy-database.ts'
import { sync } from '../../platform/durable.ts'
import { databaseFile } from '../database-file.ts'
import { logCommand } from '../log-command.ts'
import { type Command, onlyFile } from '../terminal.ts'

/** Copies the database into FILE, even while the server runs. The file appears whole or not at all. */
export const backup: Command = async (args, terminal) => {
  const file = onlyFile(args, terminal)
  const source = databaseFile(readConfig(variables, terminal.env, terminal.folder))
  if (!existsSync(source)) throw new Error(`There is no database at ${source} yet.`)
  if (existsSync(file)) throw new Error(`${file} already exists.`)
  const part = `${file}.part`
  rmSync(part, { force: true })
  try {
    copyDatabase(source, part)
    renameSync(part, file)
    sync(dirname(file))
  } finally {
    rmSync(part, { force: true })
  }
  await logCommand(terminal, 'data.backup', file)
  terminal.say(`Wrote ${file}. Its secrets can only be decrypted with the same APP_SECRET, so keep that too.`)
}
