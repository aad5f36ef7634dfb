import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { Health, Incident, Run } from '../../entries/contract.ts'
import { openSettings } from '../../entries/settings.ts'
import { masked } from '../../entries/show.ts'
import { entryStore } from '../../entries/store.ts'
import type { StoredEntry } from '../../entries/stored-entry.ts'
import type { AnyEntryToolServer, PersonalData } from '../../entries/tool-server.ts'
import type { Context } from '../../platform/context.ts'
import { dayOf, days } from '../../shared/time.ts'
import type { Part, Reader } from './file.ts'

const Day = z.object({ day: z.string(), ok: z.int(), fail: z.int() })
type Day = z.infer<typeof Day>
/** The number of days for which the file says how many runs succeeded. */
const keptDays = 90
/** Few enough entries to be read and written within some milliseconds. */
const atOnce = 20
const incidentsAtOnce = 500

/** An entry as the file holds it: what can be set, and how it is doing. */
const entryShape = (tool: AnyEntryToolServer) =>
  z.looseObject({
    tool: z.literal(tool.contract.id),
    id: z.string(),
    name: z.nullable(z.string()),
    about: z.string(),
    status: z.boolean(),
    notifyAfter: z.int(),
    ...tool.contract.Settings.shape,
    createdAt: z.int(),
    updatedAt: z.int(),
    health: Health,
    failingSince: z.nullable(z.int()),
    lastRun: z.nullable(Run),
    days: z.array(Day),
  })

/** What somebody owns in the tools: entries, how they are doing, and whatever else a tool keeps for them. */
export function toolParts(
  context: Context,
  tools: readonly AnyEntryToolServer[],
  own: readonly PersonalData[],
): Part[] {
  return [
    ...own.map(({ name, Shape, read }) => ({
      name,
      Shape,
      value: ({ caller }: Reader) => read(caller.user.id, context),
    })),
    { name: 'incidents', Shape: z.array(Incident), pages: ({ caller }) => incidentPages(context, caller.user.id) },
    {
      name: 'entries',
      Shape: z.array(z.union(tools.map(entryShape))),
      pages: (reader) => entryPages(context, tools, reader),
    },
  ]
}

async function* entryPages(context: Context, tools: readonly AnyEntryToolServer[], reader: Reader) {
  for (const tool of tools)
    for await (const page of entryStore(context.db).owned(tool.contract.id, reader.caller.user.id))
      for (let from = 0; from < page.length; from += atOnce) {
        const some = page.slice(from, from + atOnce)
        const byEntry = await daysOf(context, some)
        yield some.flatMap((entry) => {
          const fields = inFile(context, tool, entry, reader)
          return fields ? [{ ...fields, days: byEntry.get(entry.id) ?? [] }] : []
        })
        await setImmediate()
      }
}

/** Secrets in full are only for those who asked for them and proved who they are. */
function inFile(context: Context, tool: AnyEntryToolServer, entry: StoredEntry, { withSecrets }: Reader) {
  const { id, name, about, status, notifyAfter, createdAt, updatedAt, health, failingSince, lastRun } = entry
  try {
    const settings = openSettings(tool, entry.settings, context)
    const common = { tool: tool.contract.id, id, name, about, status, notifyAfter }
    const whole = { ...common, ...tool.show?.(entry.settings, context, settings), ...settings }
    const shown = withSecrets
      ? whole
      : { ...whole, ...tool.secrets?.mask(settings), ...masked(whole, tool.masks ?? {}) }
    return { ...shown, createdAt, updatedAt, health, failingSince, lastRun }
  } catch (error) {
    context.log.error({ err: error, entry: id }, 'An entry cannot be read and is left out of an export.')
    return undefined
  }
}

async function daysOf({ db, now }: Context, entries: readonly StoredEntry[]): Promise<Map<string, Day[]>> {
  const ids = entries.map(({ id }) => id)
  const rows = await db.longRead(sql<Day & { entry_id: string }>`
    select entry_id, day, ok, fail from run_day
    where ${db.isOneOf('entry_id', ids)} and day > ${dayOf(now() - days(keptDays))} order by entry_id, day`)
  const byEntry = new Map<string, Day[]>()
  for (const { entry_id, ...day } of rows) byEntry.set(entry_id, [...(byEntry.get(entry_id) ?? []), day])
  return byEntry
}

async function* incidentPages({ db }: Context, userId: string): AsyncIterable<Incident[]> {
  for (let after = ''; ; ) {
    const rows = await db.q
      .selectFrom('incident')
      .innerJoin('entry', 'entry.id', 'incident.entry_id')
      .select(['incident.id', 'entry.id as entry', 'entry.tool', 'entry.name', 'entry.about', 'incident.since'])
      .select(['incident.opened_at as openedAt', 'incident.closed_at as closedAt', 'incident.cause'])
      .where('entry.owner_id', '=', userId)
      .where('incident.id', '>', after)
      .orderBy('incident.id')
      .limit(incidentsAtOnce)
      .execute()
    yield rows
    const last = rows.at(-1)
    if (!last || rows.length < incidentsAtOnce) return
    after = last.id
  }
}
