import type { BackupsConfig } from '../../backups/config.ts'
import { type CheckResult, ok, problem, warning } from '../../platform/check-result.ts'
import { appSecretFile } from '../../platform/config/app-secret.ts'
import type { Config } from '../../platform/config/config.ts'
import { inRanges } from '../../platform/net/address.ts'
import { formatCount } from '../../shared/count.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'

type Work = {
  /** Jobs that are due but not started; `late` counts the late ones among them. */
  due: number
  late: number
  /** How long the oldest due job has been due. */
  oldest: Milliseconds
  /** Jobs that this instance is running. */
  inFlight: number
  /** The part that has stopped, as /readyz names it. */
  standstill: string | undefined
}

const longestUsual = minutes(1)

export function checkWork({ due, late, oldest, inFlight, standstill }: Work): CheckResult[] {
  const state = `${formatCount(due)} due, ${formatCount(late)} of them late, ${formatCount(inFlight)} in flight`
  return [
    ...(standstill === undefined
      ? []
      : [
          problem(
            `${activities[standstill] ?? standstill} have stopped, although there is work to do.`,
            'Restart ToolBox and check the log for the reason.',
          ),
        ]),
    oldest > longestUsual
      ? warning(
          `Runs and deliveries start late: ${state}. The oldest has been due for ${Math.round(oldest / minutes(1))} min.`,
          'See whether the processor or the database is busy, or add an instance.',
        )
      : ok(`Runs and deliveries start on time: ${state}.`),
  ]
}

const activities: Record<string, string> = {
  worker: 'Runs and deliveries',
  badges: 'Badge views',
  relay: 'Deliveries from Heroku',
  events: 'Live updates between instances',
}

type SecretSettings = Pick<Config, 'dataDir' | 'isSecretKept' | 'previousAppSecret'> &
  Pick<BackupsConfig, 'backupPassphrase'>

/** Checks where the encryption secret comes from, and whether it would survive the loss of this machine. */
export const checkSecret = (settings: SecretSettings): CheckResult[] => [
  checkSecretSource(settings),
  ...(settings.previousAppSecret === undefined
    ? []
    : [
        warning(
          'APP_SECRET_PREVIOUS is still set.',
          'Run npm run toolbox -- rotate-secret, then unset it and restart ToolBox.',
        ),
      ]),
]

function checkSecretSource({ dataDir, isSecretKept, backupPassphrase }: SecretSettings): CheckResult {
  if (!isSecretKept) return ok('The secret that encrypts webhooks and keys is set by APP_SECRET.')
  const file = appSecretFile(dataDir)
  if (backupPassphrase !== undefined) return ok(`The secret is kept in ${file}, and encrypted backups contain it.`)
  return warning(
    `The secret is kept in ${file}, and no backup contains it. Without it, a restored database can't be decrypted.`,
    'Keep a copy of this file in a safe place, or set BACKUP_PASSPHRASE to encrypt backups, which then contain it.',
  )
}

/** The address where cloud providers hand out credentials to any caller. */
const metadataService = '169.254.169.254'

type Reachable = { isOffline: boolean; allowPrivateCidrs: readonly string[] }

/** A lack of network (`isOffline`) is noticed only while there are runs. */
export const checkNetwork = ({ isOffline, allowPrivateCidrs }: Reachable): CheckResult[] => [
  ...(isOffline ? [offlineProblem] : []),
  checkPrivateRanges(allowPrivateCidrs),
]

const offlineProblem = problem(
  'No outside host can be reached, so runs are postponed.',
  "Check this server's network, name servers and firewall.",
)

function checkPrivateRanges(ranges: readonly string[]): CheckResult {
  if (ranges.length === 0) return ok("Entries can't reach private addresses.")
  const list = ranges.join(', ')
  if (!inRanges(ranges)(metadataService)) return ok(`Entries can reach private addresses in ${list}.`)
  return warning(
    `Entries can reach ${metadataService}, where many clouds hand out credentials (ALLOW_PRIVATE_CIDRS is ${list}).`,
    'Narrow ALLOW_PRIVATE_CIDRS to the hosts that entries need.',
  )
}
