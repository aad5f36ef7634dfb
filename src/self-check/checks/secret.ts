import type { BackupsConfig } from '../../backups/config.ts'
import { appSecretFile } from '../../platform/config/app-secret.ts'
import type { Config } from '../../platform/config/config.ts'
import { type Finding, ok, warning } from '../../platform/finding.ts'

type Given = Pick<Config, 'dataDir' | 'isSecretKept' | 'previousAppSecret'> & Pick<BackupsConfig, 'backupPassphrase'>

/** Where the secret comes from that encrypts what is stored, and whether it would outlive this machine. */
export const checkSecret = (given: Given): Finding[] => [
  source(given),
  ...(given.previousAppSecret === undefined
    ? []
    : [
        warning(
          'APP_SECRET_PREVIOUS is still set.',
          'Run npm run toolbox -- rotate-secret, then unset it and restart ToolBox.',
        ),
      ]),
]

function source({ dataDir, isSecretKept, backupPassphrase }: Given): Finding {
  if (!isSecretKept) return ok('The secret that encrypts webhooks and keys is set by APP_SECRET.')
  const file = appSecretFile(dataDir)
  if (backupPassphrase !== undefined) return ok(`The secret is kept in ${file}, and encrypted backups contain it.`)
  return warning(
    `The secret is kept in ${file}, and no backup contains it. Without it, a restored database can't be decrypted.`,
    'Keep a copy of this file in a safe place, or set BACKUP_PASSPHRASE to encrypt backups, which then contain it.',
  )
}
