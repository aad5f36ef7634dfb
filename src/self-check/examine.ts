import { sql } from 'kysely'
import packageJson from '../../package.json' with { type: 'json' }
import { checkBackups } from '../backups/check.ts'
import type { BackupsConfig } from '../backups/config.ts'
import { channelTypeOf } from '../notices/channels/types/index.ts'
import { type CheckResult, ok, problem } from '../platform/check-result.ts'
import type { Context } from '../platform/context.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { instantOf } from '../platform/db/storable.ts'
import type { DueWork } from '../platform/jobs/due-work.ts'
import { Active } from '../shared/user.ts'
import type { SignInConfig } from '../sign-in/config.ts'
import type { Provider } from '../sign-in/providers/provider.ts'
import { hasApp, hasPasskey, hasPassword } from '../sign-in/second-factor/rule.ts'
import { checkAddress, checkEncryption, checkProxy, type RequestConnection } from './checks/address.ts'
import { checkDatabase, readSizes } from './checks/database.ts'
import { checkNetwork, checkSecret, checkWork } from './checks/operation.ts'
import { type Admin, checkAdmins, checkChannels, checkSignUp, type FailingChannel } from './checks/people.ts'
import type { Area, SelfCheckFinding } from './contract.ts'

export type SelfCheckContext = Pick<
  Context<SignInConfig & BackupsConfig>,
  'config' | 'db' | 'now' | 'health' | 'offline' | 'metrics'
> & {
  /** Measurements shared with the metrics, taken at most once every few seconds. */
  measured: {
    room: () => ReturnType<Db['diskUsage']>
    dueWork: () => Promise<{ at: number; kinds: readonly DueWork[] }>
  }
  /** Warnings from the start about where the data is stored. */
  warnings: readonly string[]
}

/** Runs all checks; `connection` is how the request arrived, and `ofTools` the findings of the tools. */
export async function runSelfCheck(
  context: SelfCheckContext,
  {
    connection,
    providers,
    ofTools,
  }: { connection: RequestConnection; providers: readonly Pick<Provider, 'name'>[]; ofTools: readonly CheckResult[] },
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
  const found: Record<Area, readonly CheckResult[]> = {
    Address: [checkAddress(config), checkEncryption(config)],
    Proxy: [checkProxy(config, connection)],
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
    Work: checkWork({ ...work, standstill: health.stalledActivity() }),
    Channels: [checkChannels(channels)],
    Hosts: ofTools,
    Version: [ok(`ToolBox ${packageJson.version} on Node ${process.versions.node}.`)],
  }
  return Object.entries(found).flatMap(([area, findings]) =>
    findings.map((finding) => ({ area: area as Area, ...finding })),
  )
}

async function readWork({ measured, metrics }: Pick<SelfCheckContext, 'measured' | 'metrics'>) {
  const [{ at, kinds }, { values }] = await Promise.all([measured.dueWork(), metrics.jobsInFlight.get()])
  const sum = (count: (kind: DueWork) => number) => kinds.reduce((total, kind) => total + Number(count(kind)), 0)
  return {
    due: sum(({ due }) => due),
    late: sum(({ late }) => late),
    oldest: Math.max(0, ...kinds.map(({ oldest }) => at - oldest)),
    inFlight: values.reduce((total, { value }) => total + value, 0),
  }
}

/** The most admins and failing channels to read. */
const most = 1_000

async function readAdmins(q: Queries, config: { baseUrl: string }): Promise<Admin[]> {
  const isWeak = sql<number>`(case when ${hasPassword} and not ${hasApp} and not ${hasPasskey(config)} then 1 else 0 end)`
  const rows = await q
    .selectFrom('users')
    .select(['name', 'admin_level', 'last_usage_timestamp', isWeak.as('is_weak')])
    .where('admin_level', '>=', 1)
    .where('status', '=', Active)
    .orderBy('name')
    .limit(most)
    .execute()
  return rows.map((row) => ({
    name: row.name,
    isFull: row.admin_level === 2,
    lastUsedAt: row.last_usage_timestamp === null ? null : instantOf(row.last_usage_timestamp),
    hasOnlyPassword: row.is_weak === 1,
  }))
}

async function readFailingChannels(q: Queries): Promise<FailingChannel[]> {
  const rows = await q
    .selectFrom('channel')
    .innerJoin('users', 'users.id', 'channel.user_id')
    .select(['users.name as owner', 'channel.type'])
    .where('channel.failing_since', 'is not', null)
    .orderBy('channel.failing_since')
    .limit(most)
    .execute()
  return rows.map(({ owner, type }) => ({ owner, type: channelTypeOf(type)?.label ?? type }))
}
