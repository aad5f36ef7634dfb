import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { checkBackups } from '../../backups/check.ts'
import { variables } from '../../config.ts'
import { describeConfig } from '../../platform/config/config.ts'
import { type Finding, ok, problem } from '../../shared/finding.ts'
import { type Command, type Terminal, UsageError, withDatabase } from '../terminal.ts'
import { checkFile, checkMigrations, checkSecrets } from './database.ts'
import { checkFolder } from './folder.ts'

/** Looks at an installation without changing it, and says what to do. Throws if there is a problem. */
export const doctor: Command = async (args, terminal) => {
  if (args.length > 0) throw new UsageError('doctor takes no arguments.')
  const findings = await examine(terminal)
  for (const { state, what, todo } of findings) {
    terminal.say(`${state.padEnd(8)} ${what}`)
    if (todo) terminal.say(`         → ${todo}`)
  }
  const problems = findings.filter(({ state }) => state === 'problem').length
  if (problems > 0) throw new Error(problems === 1 ? 'There is 1 problem.' : `There are ${problems} problems.`)
}

const isBad = ({ state }: Finding) => state === 'problem'

async function examine(terminal: Terminal): Promise<Finding[]> {
  const { found, mistakes } = describeConfig(variables, terminal.env, terminal.folder)
  if (mistakes.length > 0) return mistakes.map((mistake) => problem(mistake, 'Correct this variable.'))
  const given = new Map(found.map((one) => [one.name, one]))
  const dataDir = resolve(terminal.folder, given.get('DATA_DIR')?.text ?? '')
  const isEmbedded = given.get('DATABASE_URL')?.source === 'default'
  const isSecretKept = given.get('APP_SECRET')?.source === 'default'
  const findings = [ok('The configuration is valid.')]
  if (isEmbedded) {
    findings.push(...checkFolder({ dataDir, isSecretKept }))
    const file = join(dataDir, 'toolbox.db')
    if (existsSync(file)) findings.push(...checkFile(file))
    if (findings.some(isBad)) return findings
  }
  try {
    return [...findings, ...(await examineDatabase(terminal))]
  } catch (error) {
    return [...findings, problem(String(Object(error).message), 'Mend this first, then use doctor again.')]
  }
}

const examineDatabase = (terminal: Terminal): Promise<Finding[]> =>
  withDatabase(terminal, async (db, config) => {
    const schema = await checkMigrations(db)
    if (isBad(schema)) return [schema]
    return [schema, await checkSecrets(db, config), ...(await checkBackups(db, config, Date.now()))]
  })
