import { changeEntry, editedMeanwhileMessage } from '../../../entries/edit/edit.ts'
import { openSettings } from '../../../entries/settings.ts'
import { entryStore, toolOfOwned } from '../../../entries/store.ts'
import type { AnyEntryToolServer } from '../../../entries/tool-server.ts'
import type { Context } from '../../../platform/context.ts'
import { lockEntry } from '../../../platform/db/locks.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { exists } from '../../../platform/db/rows/read.ts'
import { transact } from '../../../platform/db/transact.ts'
import { forEachId } from '../../../platform/for-each-id.ts'
import { type ActingUser, actingUserOf, actingUserWithRecheck } from '../../../platform/http/access/actor.ts'
import { callerOf, guard } from '../../../platform/http/access/guard.ts'
import type { App, Caller } from '../../../platform/http/app.ts'
import { routesOf } from '../../../platform/http/calls.ts'
import { HttpError } from '../../../shared/http-error.ts'
import { dayOf, type Instant, minutes } from '../../../shared/time.ts'
import type { KeepaliveConfig } from '../config.ts'
import { actCalls, keepalive, type Sleep } from '../contract.ts'
import { matchesDomains } from '../hosts/routes.ts'
import { monthAfter } from './person.ts'
import { searchDuration, searchJob, sleepOf } from './sleep.ts'
import { awakeStore, domainsNeedingActs } from './state.ts'
import { effectiveAct, effectiveInterval } from './terms.ts'

const noDate = 'This entry has no date by which it has to be extended.'
const notPlainRequest = 'Only an active entry that sends plain requests can find this out.'

export function actRoutes(app: App, context: Context<KeepaliveConfig>, tool: AnyEntryToolServer): void {
  const route = routesOf(app, actCalls, keepalive.label)
  const { db, now, jobs, config } = context
  const read = async (id: string, user: Caller['user'], q: Queries = db.q) => {
    const entry = await entryStore(db, q).get(keepalive.id, id, user)
    return { entry, settings: keepalive.Settings.parse(openSettings(tool, entry.settings, context)) }
  }

  route(
    'GET /api/v1/keepalive/sleep',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'Get the idle time after which an app falls asleep',
      description: 'Derived from the gaps between stored runs and the response times after them. Nothing is visited.',
      failures: [404],
    },
    async (request) => readSleep(request.query.id, callerOf(request).user),
  )

  async function readSleep(id: string, user: Caller['user']): Promise<Sleep> {
    const { settings } = await read(id, user)
    const since = (await awakeStore(db, db.q).load([id])).get(id)?.memory.findingSince
    const found = sleepOf(
      await entryStore(db).history(id, now()),
      effectiveInterval(settings, config.keepaliveEvery) / minutes(1),
    )
    // The search's next request is dropped if its owner is inactive when it is due.
    const isSearching = since !== undefined && (await exists(db.q.selectFrom('job').where('id', '=', searchJob(id))))
    return { ...found, until: isSearching ? since + searchDuration : null }
  }

  route(
    'POST /api/v1/keepalive/sleep?id',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Find out the idle time after which an app falls asleep',
      description: 'Takes a day at most, even in quiet hours: ten requests in a row, then gaps around the idle time.',
      failures: [404, 409, 429],
    },
    async (request) => {
      const { id } = request.query
      const { user } = callerOf(request)
      const { entry, settings } = await read(id, user)
      if (!entry.status || !entry.ownerActive || effectiveAct(settings) !== 'request')
        throw new HttpError(409, notPlainRequest)
      context.visitLimits.consumeRun(user.id, id)
      const at = now()
      await transact(db, async (tx) => {
        await lockEntry(db, tx, id)
        await read(id, user, tx)
        await awakeStore(db, tx).save(id, { awake: null, memory: { findingSince: at } })
        await jobs.addSooner([{ id: searchJob(id), kind: 'now', entryId: id, dueAt: at }], at, tx)
      })
      jobs.wake()
      return readSleep(id, user)
    },
  )

  /** A user's plain request entries whose apps an act would keep awake with their current settings, by id. */
  async function findOffers(ownerId: string): Promise<Map<string, Instant>> {
    const own = db.q.selectFrom('entry').select(['id', 'settings', 'updated_at']).where('owner_id', '=', ownerId)
    const rows = await own.where(toolOfOwned, '=', keepalive.id).where(matchesDomains(db, domainsNeedingActs)).execute()
    return new Map(rows.flatMap((row) => (lacksAct(row.settings) ? [[row.id, row.updated_at]] : [])))
  }

  function lacksAct(stored: string): boolean {
    try {
      const its = keepalive.Settings.parse(openSettings(tool, JSON.parse(stored), context))
      return its.keep === 'request' && effectiveAct({ ...its, keep: 'auto' }) !== 'request'
    } catch {
      // Ignore unreadable settings: the entry's runs report them.
      return false
    }
  }

  route(
    'GET /api/v1/keepalive/offers',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'List your entries whose apps "auto" would keep awake, but plain requests do not',
      description: 'Includes only entries with all required settings: a Supabase project, for example, needs its key.',
    },
    async (request) => ({ ids: [...(await findOffers(callerOf(request).user.id)).keys()] }),
  )

  route(
    'POST /api/v1/keepalive/offers',
    { ...guard('Tools', 1, 'write'), summary: 'Set all entries that GET lists to "auto"' },
    async (request) => {
      const { recheckAccess, ...by } = actingUserWithRecheck(request)
      const offers = await findOffers(by.user.id)
      const { done, refused } = await forEachId(context, recheckAccess, [...offers.keys()], async (id) => {
        const change = { keep: 'auto', interval: 'auto', ifUpdatedAt: offers.get(id) }
        const { outdated, unchanged } = await changeEntry(context, tool, by, id, change)
        if (outdated) throw new HttpError(409, editedMeanwhileMessage)
        return { unchanged }
      })
      return { done, refused }
    },
  )

  route(
    'POST /api/v1/keepalive/done?id',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Confirm that an app was extended, and plan the next extension',
      description: 'The next date is a month after the previous one, or after today if that has passed.',
      failures: [404, 409],
    },
    (request) => confirmExtension(request.query.id, actingUserOf(request)),
  )

  async function confirmExtension(id: string, by: ActingUser): Promise<{ id: string; due: string }> {
    const { entry, settings } = await read(id, by.user)
    const { due } = settings
    if (due === null) throw new HttpError(409, noDate)
    const today = dayOf(now())
    // A repeated confirmation doesn't move the date again.
    if (due >= monthAfter(today)) return { id, due }
    const next = monthAfter(due > today ? due : today)
    const { outdated } = await changeEntry(context, tool, by, id, { due: next, ifUpdatedAt: entry.updatedAt })
    return outdated ? confirmExtension(id, by) : { id, due: next }
  }
}
