import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf } from '../../backups/config.ts'
import { listBackups } from '../../backups/files/folder.ts'
import type { AppConfig } from '../../config.ts'
import type { Questions } from '../ask.ts'
import { backupTable } from '../backups/backup-table.ts'
import { onlyFile, type Terminal } from '../terminal.ts'

/** The file to restore: a path, the name of a backup, or what the operator chooses from the list of a folder. */
export async function choose(
  args: string[],
  config: AppConfig,
  terminal: Terminal,
  { ask }: Pick<Questions, 'ask'>,
): Promise<string> {
  const usual = folderOf(config)
  const folder = args.length === 0 ? usual : pathOf(args, usual, terminal)
  if (args.length > 0 && !isFolder(folder)) return folder
  const backups = await listBackups(folder)
  if (backups.length === 0) throw new Error(`There are no backups in ${folder}. Enter a FILE.`)
  const numbers = backups.map((_, index) => String(index + 1))
  for (const line of backupTable(backups, numbers)) terminal.say(line)
  const answer = await ask(`Restore which one (1–${backups.length})? `)
  const chosen = backups[numbers.indexOf(answer ?? '')] ?? backups.find(({ name }) => name === answer)
  if (chosen) return join(folder, chosen.name)
  throw new Error(
    answer ? `${answer} is none of them. Nothing was changed.` : 'Enter its name: npm run toolbox -- restore NAME',
  )
}

const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory()

/** What is named: a path, or else a backup in the usual folder. */
function pathOf(args: string[], usual: string, terminal: Terminal): string {
  const file = onlyFile(args, terminal)
  const named = join(usual, args[0] ?? '')
  return !existsSync(file) && existsSync(named) ? named : file
}
