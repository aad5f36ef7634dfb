import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { adminRoutes } from './admin/routes.ts'
import { accessRoutes } from './admission/access/routes.ts'
import { inviteRoutes } from './admission/invites/routes.ts'
import { deleteOldInvites } from './admission/invites/store.ts'
import type { BackupsConfig } from './backups/config.ts'
import { backupRoutes } from './backups/routes.ts'
import { badgeAddresses } from './entries/badges/addresses.ts'
import { badgeRoutes } from './entries/badges/routes.ts'
import { ownTitles } from './entries/define-tool.ts'
import { incidentRoutes, stillFailing } from './entries/health/health.ts'
import { entryRoutes, searchRoutes } from './entries/routes.ts'
import { cleanUpIncidents } from './entries/runs/incidents.ts'
import { prepareRuns } from './entries/runs/perform.ts'
import { record } from './entries/runs/record.ts'
import { progressRoutes } from './entries/runs/run-batches.ts'
import { entryStore } from './entries/store.ts'
import type { AnyEntryToolServer, RunResult } from './entries/tool-server.ts'
import { isMigrated } from './migrations.ts'
import { channelRoutes } from './notices/channels/routes.ts'
import { shiftChannels } from './notices/channels/store.ts'
import { prepareDeliveries } from './notices/deliver.ts'
import { deleteOldNotices, noticeRoutes } from './notices/inbox.ts'
import { channelOf, isDelivery } from './notices/jobs.ts'
import { deleteOldMails } from './notices/mail.ts'
import { deliverOnce } from './notices/toasts.ts'
import { ownDataRoutes } from './own-data/routes.ts'
import { deleteOldAudit } from './people/audit/store.ts'
import { deleteOldFailures } from './people/audit/trail.ts'
import { providerCatalogue } from './people/contract.ts'
import { hasAdmin } from './people/store.ts'
import type { Context } from './platform/context.ts'
import type { Queries } from './platform/db/open.ts'
import { transact } from './platform/db/transact.ts'
import { open } from './platform/http/access/guard.ts'
import { namesThisMachine } from './platform/http/access/headers.ts'
import type { App } from './platform/http/app.ts'
import { routesOf } from './platform/http/calls.ts'
import { openapi } from './platform/http/description/openapi.ts'
import { health } from './platform/http/health.ts'
import { manual } from './platform/http/manual.ts'
import { createServer } from './platform/http/server.ts'
import { isOfEntry } from './platform/jobs/job.ts'
import { plannedAhead, shiftJobs } from './platform/jobs/worker/steady-clock.ts'
import { type Worker, worker } from './platform/jobs/worker/worker.ts'
import type { LiveEvents } from './platform/live/live-events.ts'
import { eventsRoute } from './platform/live/live-streams.ts'
import { ownDetailsRoutes, ownRoutes } from './profile/own-routes.ts'
import type { SelfCheckContext } from './self-check/examine.ts'
import { selfCheckRoutes } from './self-check/routes.ts'
import { entryTools, isEntryTool, serverTools } from './server-tools.ts'
import { runInSequence } from './shared/async.ts'
import { HttpError } from './shared/http-error.ts'
import { pageEntries } from './shared/pages.ts'
import { deleteOldNetworks, keyRoutes } from './sign-in/api-keys.ts'
import type { Auth } from './sign-in/auth.ts'
import type { SignInConfig } from './sign-in/config.ts'
import { identify } from './sign-in/identify.ts'
import type { Admission } from './sign-in/providers/provider.ts'
import { authRoutes } from './sign-in/routes.ts'
import { cleanUpSignIns } from './sign-in/sessions.ts'
import { publicStatusRoutes } from './status/public/routes.ts'
import { statusRoutes } from './status/routes.ts'
import { cleanUpSlugs, ownStatusPage } from './status/store.ts'
import { tools } from './tools/index.ts'

const personalData = [...serverTools.flatMap((tool) => tool.personalData ?? []), ownStatusPage]
const byId = new Map(entryTools.map((tool) => [tool.contract.id, tool]))

export type AppContext = Context<SignInConfig & BackupsConfig> &
  SelfCheckContext & { events: LiveEvents; admission: Admission }

/** Creates the HTTP server with all its routes, in order, except those that serve the page itself. */
export async function createApp(context: AppContext, auth: Auth): Promise<App> {
  const { config, log } = context
  const identifyCaller = identify(context, auth)
  const app = await createServer({ config, log, identify: identifyCaller, readableUrl })
  health(app, { ...context, isMigrated })
  const figures = entryTools.map(({ contract }) => `/api/v1/${contract.id}/figures`)
  openapi(app, config, new URL('ui/', import.meta.url), figures)
  manual(app, fileURLToPath(new URL('../docs', import.meta.url)))
  authRoutes(app, context, auth)
  ownRoutes(app, context, auth)
  ownDetailsRoutes(app, context)
  inviteRoutes(app, context)
  keyRoutes(app, context)
  const removing = { offered: auth.providers, beforeRemove: beforeRemove(context) }
  adminRoutes(app, { ...context, ...removing })
  accessRoutes(app, context)
  noticeRoutes(app, context)
  channelRoutes(app, context, {
    toolIds: [...byId.keys()],
    ownEntries: entryStore(context.db).ownIds,
    stillFailing: (ownerId) => stillFailing(context, byId, ownerId),
  })
  backupRoutes(app, context)
  const ofTools = () => serverTools.flatMap((tool) => tool.selfCheck?.(context.now()) ?? [])
  selfCheckRoutes(app, context, { providers: auth.providers, ofTools })
  eventsRoute(app, { ...context, identify: identifyCaller, deliverOnce: deliverOnce(context, auth.background) })
  publicConfig(app, context)
  ownDataRoutes(app, { ...context, ...removing }, { tools: entryTools, own: personalData })
  incidentRoutes(app, context)
  searchRoutes(app, entryTools, context)
  progressRoutes(app, context, byId)
  const badges = badgeAddresses(context)
  badgeRoutes(app, context, badges)
  statusRoutes(app, context, byId)
  publicStatusRoutes(app, context, byId)
  for (const tool of serverTools) {
    if (isEntryTool(tool)) entryRoutes(app, tool, { ...context, badges })
    tool.routes?.(app, context)
  }
  return app
}

const readableUrl = (url: string): string => serverTools.reduce((read, tool) => tool.readableUrl?.(read) ?? read, url)

export function createWorker(context: AppContext): Worker {
  // Counters start at 0, because an alert on an increase would miss a failure that creates its counter.
  for (const { contract } of entryTools)
    for (const outcome of ['success', 'failure']) context.metrics.runs.inc({ tool: contract.id, outcome }, 0)
  return worker<RunResult>({
    jobs: context.jobs,
    now: context.now,
    elapsed: context.elapsed,
    refreshClock: context.refreshClock,
    health: context.health,
    log: context.log,
    metrics: context.metrics,
    prepare: async (jobs) => {
      const runs = prepareRuns(context, byId, jobs.filter(isOfEntry))
      const sent = prepareDeliveries(
        { ...context, stillFailing: (ownerId) => stillFailing(context, byId, ownerId) },
        jobs.filter(isDelivery),
      )
      return new Map([...(await runs), ...(await sent)])
    },
    record: (results) => record(context, results),
    shift: (step) =>
      transact(context.db, async (tx) => {
        const jobs = await shiftJobs(context.db, tx, step, context.now())
        const entryIds = jobs.flatMap(({ entryId }) => entryId ?? [])
        const channelIds = jobs.flatMap((job) => channelOf(job) ?? [])
        for (const tool of entryTools) await tool.shift?.(entryIds, step.by, tx, context)
        await shiftChannels(context.db, tx, channelIds, step.by)
      }),
    plannedAhead: () => plannedAhead(context.db, context.now()),
  })
}

/** Deletes the tools' rows that are too many for one statement, in the transaction that deletes their entries. */
export const beforeRemove =
  (context: Pick<Context, 'db'>) =>
  async (entryIds: readonly string[], tx: Queries): Promise<void> => {
    for (const tool of entryTools) await tool.beforeRemove?.(entryIds, tx, context)
  }

/** Must be called periodically. */
export function cleanUpAccounts({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  const { q } = db
  return runInSequence([
    () => cleanUpSignIns({ db, now }),
    () => deleteOldNetworks(q, now()),
    () => deleteOldMails(q, now()),
    () => deleteOldAudit(q, now()),
    () => deleteOldFailures(q, now()),
    () => deleteOldNotices(q, now()),
    () => deleteOldInvites(q, now()),
  ])
}

/** Must be called periodically. */
export const cleanUpTools = (context: Pick<Context, 'db' | 'now' | 'notify' | 'events'>): Promise<void> =>
  runInSequence([
    () => cleanUpIncidents(context),
    () => cleanUpSlugs(context),
    ...serverTools.map((tool) => () => tool.cleanUp?.(context)),
  ])

const PublicConfig = z.object({
  needsAdmin: z.boolean(),
  sendsMail: z.boolean(),
  baseUrl: z.string(),
  intervals: z.object(byTool(() => z.int())),
  profiles: z.record(z.string(), z.object({ name: z.string(), url: z.string() })),
})

function byTool<Value>(value: (schedule: NonNullable<AnyEntryToolServer['schedule']>) => Value): Record<string, Value> {
  return Object.fromEntries(
    entryTools.flatMap(({ contract, schedule }) => (schedule ? [[contract.id, value(schedule)]] : [])),
  )
}

const onlyHere = 'While BASE_URL is not set, ToolBox can only be opened as localhost, 127.0.0.1 or [::1].'

/** The part of the configuration that pages show; nothing here is secret. */
function publicConfig(app: App, { config, db }: AppContext) {
  const intervals = byTool((schedule) => schedule.defaultInterval(config))
  const calls = { 'GET /api/v1/config': { answer: PublicConfig } }
  const options = { ...open('read'), summary: 'Get public information about this server', failures: [403] }
  routesOf(app, calls, 'Server')('GET /api/v1/config', options, async (request) => {
    if (!config.isAddressed && !namesThisMachine(request)) throw new HttpError(403, onlyHere)
    return {
      needsAdmin: !(await hasAdmin(db.q)),
      sendsMail: config.smtpUrl !== undefined,
      baseUrl: config.baseUrl,
      intervals,
      profiles: providerCatalogue(config),
    }
  })
}

/** Whether an address is a page of the app; all others show its not-found screen. */
export const isPage = (path: string): boolean => pages.test(path.replace(/(?<=.)\/$/, ''))

const toolPages = tools.map((tool) => {
  const own = Object.keys(ownTitles(tool))
  const below = tool.kind === 'entries' ? ['create', 'modify', 'viewlist', ...own] : own
  return `/tools/${tool.id}(?:/(?:${below.join('|')}))?`
})
/** Path patterns: a path may end with an optional parameter in braces. */
const ownPages = pageEntries.map(([, { path }]) => path.replace(/\/\{.*\}$/, '(?:/[^/]+)?'))
const pages = new RegExp(`^(?:/|/_loading|/_fail|${[...ownPages, ...toolPages].join('|')})$`)
