import packageJson from '../../package.json' with { type: 'json' }
import { variables } from '../config.ts'
import { describeConfig } from '../platform/config/config.ts'
import { ConfigError } from '../platform/config/env.ts'
import { admin, invite } from './admin.ts'
import { backup, backups } from './backups.ts'
import { doctor } from './doctor.ts'
import { exportRows } from './export.ts'
import { importRows } from './import.ts'
import { restore } from './restore.ts'
import { rotateSecret } from './secrets.ts'
import { type Command, type Terminal, UsageError } from './terminal.ts'

const usage = `Usage: npm run toolbox -- COMMAND

  admin create --email E --username U     create an admin; reads the password from stdin or prints a one-time link
  admin reset-password --username U       set a password from stdin, or print a one-time link
  admin reset-second-factor --username U  turn off two-step sign-in for a user who has lost their device
  invite [--tools 0-2] [--admin 0-2] [--email E] [--uses N] [--days N]  print a link to join with these roles
  backup FILE                             back up the SQLite database, even while the server runs
  backups                                 list the backups in BACKUP_DIR
  backups make                            make a backup there now, even while the server runs
  restore [NAME | FILE]                   replace the database with a backup (asks which by default); keeps the old one
  export FILE                             write all rows as JSON lines, from either database
  import FILE [--replace]                 import such a file into an empty database, or replace existing data
  rotate-secret                           re-encrypt with APP_SECRET what APP_SECRET_PREVIOUS encrypted
  doctor                                  check the data folder and the database, and say what to do
  config                                  print the effective configuration with secrets masked
  version                                 print the version of ToolBox`

/** Prints every variable with its source and value, secrets masked. */
const showConfig: Command = async (args, { env, folder, say }) => {
  if (args.length > 0) throw new UsageError('config takes no arguments.')
  const { found, mistakes } = describeConfig(variables, env, folder)
  const width = Math.max(...found.map(({ name }) => name.length))
  for (const { name, text, source } of found) say(`${name.padEnd(width)}  ${text ?? '(unset)'}  [${source}]`)
  if (mistakes.length > 0) throw new ConfigError(mistakes)
}

const commands: Record<string, Command> = {
  admin,
  invite,
  backup,
  backups,
  restore,
  doctor,
  export: exportRows,
  import: importRows,
  'rotate-secret': rotateSecret,
  config: showConfig,
}

type Shell = Terminal & { complain: (line: unknown) => void }

/** Runs a command. Resolves to 0 on success, 1 on failure, 2 for wrong arguments. */
export async function run([name = '', ...args]: string[], { complain, ...terminal }: Shell): Promise<0 | 1 | 2> {
  if (['help', '--help', '-h'].includes(name)) {
    terminal.say(usage)
    return 0
  }
  if (['version', '--version', '-v'].includes(name)) {
    terminal.say(packageJson.version)
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  try {
    if (!command) throw new UsageError(name ? `Unknown command: ${name}.` : 'No command given.')
    await command(args, terminal)
    return 0
  } catch (error) {
    if (!isUsage(error)) {
      complain(error instanceof Error ? error.message : error)
      return 1
    }
    complain(`${error.message}\n\n${usage}`)
    return 2
  }
}

const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError ||
  (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
