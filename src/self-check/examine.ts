import packageJson from '../../package.json' with { type: 'json' }
import { checkBackups } from '../backups/check.ts'
import type { BackupsConfig } from '../backups/config.ts'
import type { Context } from '../platform/context.ts'
import type { Db } from '../platform/db/open.ts'
import type { Waiting } from '../platform/jobs/waiting.ts'
import { type Finding, ok, problem } from '../shared/finding.ts'
import type { SignInConfig } from '../sign-in/config.ts'
import type { Provider } from '../sign-in/providers/provider.ts'
import { checkAddress, checkEncryption, checkProxy, type Way } from './checks/address.ts'
import { checkAdmins } from './checks/admins.ts'
import { checkChannels } from './checks/channels.ts'
import { checkDatabase } from './checks/database.ts'
import { checkNetwork } from './checks/network.ts'
import { checkSecret } from './checks/secret.ts'
import { checkSignUp } from './checks/sign-up.ts'
import { checkWork } from './checks/work.ts'
import type { Area, SelfCheckFinding } from './contract.ts'
import { readAdmins, readFailingChannels } from './look-up.ts'
import { readSizes } from './sizes.ts'

export type SelfCheckContext = Pick<
  Context<SignInConfig & BackupsConfig>,
  'config' | 'db' | 'now' | 'health' | 'offline' | 'metrics'
> & {
  /** What the metrics read as well, at most once in a few seconds. */
  measured: {
    room: () => ReturnType<Db['room']>
    waiting: () => Promise<{ at: number; kinds: readonly Waiting[] }>
  }
  /** What was found wrong with the place at the start. */
  warnings: readonly string[]
}

/** Everything that this server finds when it looks at itself, of a request that came this way. */
export async function examine(
  context: SelfCheckContext,
  { way, providers }: { way: Way; providers: readonly Pick<Provider, 'name'>[] },
): Promise<SelfCheckFinding[]> {
  const { config, db, now, health, offline } = context
  const [admins, channels, sizes, room, work, backups] = await Promise.all([
    readAdmins(db.q, config),
    readFailingChannels(db.q),
    readSizes(db.q),
    context.measured.room(),
    readWork(context),
    checkBackups(db, config, now()),
  ])
  const { used, free } = room
  const found: Record<Area, readonly Finding[]> = {
    Address: [checkAddress(config), checkEncryption(config)],
    Proxy: [checkProxy(config, way)],
    Secret: checkSecret(config),
    Network: checkNetwork({ isOffline: offline.isOffline(), allowPrivateCidrs: config.allowPrivateCidrs }),
    'Sign-up': checkSignUp({ ...config, providers: providers.map(({ name }) => name) }),
    Admins: checkAdmins(admins, now()),
    Database: [
      ...context.warnings.map((what) => problem(what, 'Do that before you store anything of value here.')),
      ...checkDatabase({
        isShared: db.isShared,
        used: Number(used),
        free,
        sizes,
        failing: db.failing(),
        now: now(),
      }),
    ],
    Backups: backups,
    Work: checkWork({ ...work, standstill: health.standstill() }),
    Channels: [checkChannels(channels)],
    Version: [ok(`This is ToolBox ${packageJson.version} on Node ${process.versions.node}.`)],
  }
  return Object.entries(found).flatMap(([area, findings]) =>
    findings.map((finding) => ({ area: area as Area, ...finding })),
  )
}

async function readWork({ measured, metrics }: Pick<SelfCheckContext, 'measured' | 'metrics'>) {
  const [{ at, kinds }, { values }] = await Promise.all([measured.waiting(), metrics.jobsInFlight.get()])
  const sum = (count: (kind: Waiting) => number) => kinds.reduce((total, kind) => total + Number(count(kind)), 0)
  return {
    due: sum(({ due }) => due),
    late: sum(({ late }) => late),
    oldest: Math.max(0, ...kinds.map(({ oldest }) => at - oldest)),
    inFlight: values.reduce((total, { value }) => total + value, 0),
  }
}
