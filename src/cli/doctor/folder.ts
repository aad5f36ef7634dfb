import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { appSecretFile } from '../../platform/config/app-secret.ts'
import { type Finding, ok, problem, warning } from '../../shared/finding.ts'
import { draftFolder } from '../restore/draft.ts'

type Place = { dataDir: string; isSecretKept: boolean }

/** The data folder of an embedded database: whether what it needs is there, and nobody else's. */
export function checkFolder({ dataDir, isSecretKept }: Place): Finding[] {
  if (!existsSync(dataDir))
    return [problem(`There is no data folder at ${dataDir}.`, 'Set DATA_DIR to it, or start ToolBox to create it.')]
  const database = join(dataDir, 'toolbox.db')
  if (!existsSync(database))
    return [problem(`There is no database in ${dataDir}.`, 'Set DATA_DIR to its folder, or restore a backup.')]
  const secret = appSecretFile(dataDir)
  const files = [dataDir, database, ...(isSecretKept && existsSync(secret) ? [secret] : [])]
  const findings = files.flatMap(checkAccess)
  if (isSecretKept && !existsSync(secret))
    findings.push(
      problem(
        `${secret} is missing, so the secrets in the database can't be decrypted.`,
        'Put it back, set APP_SECRET to its text, or restore an encrypted backup, which contains it.',
      ),
    )
  if (existsSync(draftFolder({ dataDir })))
    findings.push(warning(`${draftFolder({ dataDir })} was left by a restore that was interrupted.`, 'Delete it.'))
  return findings.length > 0 ? findings : [ok(`The data folder ${dataDir} is complete and private.`)]
}

function checkAccess(path: string): Finding[] {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
  } catch {
    return [problem(`${path} can't be read and written by this user.`, 'Change its owner, or run this as its owner.')]
  }
  const others = process.platform === 'win32' ? 0 : statSync(path).mode & 0o077
  return others === 0
    ? []
    : [warning(`${path} can be opened by other users of this machine.`, `Run chmod go= "${path}".`)]
}
