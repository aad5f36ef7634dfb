import * as z from 'zod/mini'
import { checkLastBackup } from '../backups/check.ts'
import type { BackupsConfig } from '../backups/config.ts'
import { hasSecondAdmin } from '../people/store.ts'
import type { CheckResult } from '../platform/check-result.ts'
import type { Config } from '../platform/config/config.ts'
import type { Context } from '../platform/context.ts'
import { exists } from '../platform/db/rows/read.ts'
import { sharedState } from '../platform/db/shared-state.ts'
import { transact } from '../platform/db/transact.ts'
import { guard } from '../platform/http/access/guard.ts'
import { isForwarded } from '../platform/http/access/headers.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import type { Auth } from '../sign-in/auth.ts'
import { checkAddress, checkEncryption } from './checks/address.ts'
import { type FirstSteps, type StepId, selfCheckCalls, stepIds } from './contract.ts'
import { runSelfCheck, type SelfCheckContext } from './examine.ts'

export function selfCheckRoutes(
  app: App,
  context: SelfCheckContext,
  { providers, ofTools }: Pick<Auth, 'providers'> & { ofTools: () => readonly CheckResult[] },
): void {
  const route = routesOf(app, selfCheckCalls, 'Server')
  route(
    'GET /api/v1/admin/health',
    {
      ...guard('Admin', 2, 'read'),
      summary: 'Check this server',
      description:
        'Each finding describes a state and, unless that is ok, what to do. The proxy is judged by this request.',
    },
    (request) => {
      const connection = {
        isForwarded: isForwarded(request),
        peer: request.socket.remoteAddress ?? '',
        address: request.ip,
      }
      return runSelfCheck(context, { connection, providers, ofTools: ofTools() })
    },
  )

  const read = () => readFirstSteps({ ...context, hasProviders: providers.length > 0 })

  route(
    'GET /api/v1/admin/first-steps',
    { ...guard('Admin', 2, 'read'), summary: 'List the first steps of a new server' },
    read,
  )
  route(
    'PATCH /api/v1/admin/first-steps',
    { ...guard('Admin', 2, 'write'), summary: 'Dismiss first steps for all admins' },
    async (request) => {
      await dismiss(context, request.body.ids)
      return read()
    },
  )
}

const dismissedSteps = sharedState('first steps dismissed', z.array(z.string()))

type Done = { isDone: boolean; what?: string }
type Looking = Pick<Context<BackupsConfig>, 'config' | 'db' | 'now'> & { hasProviders: boolean }

const toStepState = ({ state, what }: CheckResult) => (state === 'ok' ? { isDone: true, what } : { isDone: false })

/** Returns the steps that weren't dismissed. Each is checked on every call, where possible by the self-check. */
async function readFirstSteps({ config, db, now, hasProviders }: Looking): Promise<FirstSteps> {
  const dismissed = (await dismissedSteps.read(db.q)) ?? []
  const remainingSteps = stepIds.filter((id) => !dismissed.includes(id))
  const { baseUrl } = config
  const looks: Record<StepId, () => Done | Promise<Done>> = {
    address: () => toStepState(checkAddress(config)),
    https: () => toStepState(checkEncryption(config)),
    provider: () => ({ isDone: hasProviders }),
    backup: async () => toStepState(await checkLastBackup(db, config, now())),
    admin: async () => ({ isDone: await hasSecondAdmin(db.q) }),
    entry: async () => ({ isDone: await exists(db.q.selectFrom('entry')) }),
    channel: async () => ({ isDone: await exists(db.q.selectFrom('channel')) }),
  }
  const steps = await Promise.all(remainingSteps.map(async (id) => ({ id, ...(await looks[id]()) })))
  return { steps, baseUrl, callbacks: callbacksOf(config) }
}

async function dismiss({ db }: Pick<Context, 'db'>, ids: readonly StepId[]): Promise<void> {
  await transact(db, async (tx) => {
    const dismissed = (await dismissedSteps.lock(db, tx)) ?? []
    await dismissedSteps.write(tx, [...new Set([...dismissed, ...ids])])
  })
}

function callbacksOf({ baseUrl, discordUrl, githubUrl }: Config): FirstSteps['callbacks'] {
  const callback = (name: string, id: string, registerAt: string | null, variables: readonly string[]) => ({
    name,
    url: `${baseUrl}/api/auth/callback/${id}`,
    registerAt,
    variables: [...variables],
  })
  return [
    callback('Discord', '001_Discord', `${discordUrl}/developers/applications`, client('DISCORD')),
    callback('GitHub', '002_Github', `${githubUrl}/settings/developers`, client('GITHUB')),
    callback('OpenID', '004_OIDC', null, ['OIDC_ISSUER', ...client('OIDC')]),
  ]
}

const client = (prefix: string) => [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`]
