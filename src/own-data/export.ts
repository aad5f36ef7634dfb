import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { User } from '../admin/contract.ts'
import { loadUserDetail } from '../admin/store.ts'
import { decisions } from '../admission/access/contract.ts'
import { requestOf } from '../admission/access/store.ts'
import { Health, Incident, Run } from '../entries/contract.ts'
import { openSettings } from '../entries/settings.ts'
import { maskFields } from '../entries/show.ts'
import { entryStore } from '../entries/store.ts'
import type { StoredEntry } from '../entries/stored-entry.ts'
import type { AnyEntryToolServer, PersonalData } from '../entries/tool-server.ts'
import { Channel } from '../notices/channels/contract.ts'
import { channelsOf, toChannel } from '../notices/channels/store.ts'
import { InboxItem, inboxPage } from '../notices/contract.ts'
import { readInbox } from '../notices/inbox.ts'
import { Activity, activityPage } from '../people/audit/contract.ts'
import { readActivity } from '../people/audit/store.ts'
import { ApiKey } from '../people/contract.ts'
import type { Context } from '../platform/context.ts'
import { sessionIdOf } from '../platform/http/access/guard.ts'
import type { Caller } from '../platform/http/app.ts'
import { dayOf, days, type Instant } from '../shared/time.ts'
import { apiKeysOf } from '../sign-in/api-keys.ts'
import { OwnSession } from '../sign-in/contract.ts'
import { OwnFactor } from '../sign-in/second-factor/contract.ts'
import { factorOf } from '../sign-in/second-factor/factor.ts'
import { passkeysOf } from '../sign-in/second-factor/passkeys.ts'
import { sessionsOf } from '../sign-in/sessions.ts'
import { fileFormat, fileVersion, schemaPath } from './contract.ts'

const elsewhere = { apiKeys: true, entries: true, passkeys: true, sessions: true } as const
const Profile = z.omit(User, { ...elsewhere, changedBy: true, changedById: true })
const TwoStep = z.omit(OwnFactor, { required: true })
const Request = z.object({
  kind: z.enum(['request', 'sign-up']),
  message: z.nullable(z.string()),
  at: z.int(),
  decidedAt: z.nullable(z.int()),
  decision: z.nullable(z.enum(decisions)),
})
const KnownDevice = z.object({ device: z.string(), network: z.string(), lastAt: z.int() })

/** The parts about a user's account never contain passwords, authenticator seeds or API keys. */
export function accountParts(context: Context): Part[] {
  const { db, now } = context
  return [
    {
      name: 'profile',
      Shape: Profile,
      value: async ({ caller }) => Profile.parse(await loadUserDetail(db.q, { id: caller.user.id })),
    },
    {
      name: 'twoStep',
      Shape: TwoStep,
      sessionOnly: true,
      value: async ({ caller: { user } }) => ({
        app: (await factorOf(context, user.id)) ?? null,
        passkeys: await passkeysOf(context, user.id),
      }),
    },
    {
      name: 'sessions',
      Shape: z.array(OwnSession),
      sessionOnly: true,
      value: ({ caller }) => sessionsOf(db, caller.user.id, sessionIdOf(caller), now()),
    },
    {
      name: 'knownDevices',
      Shape: z.array(KnownDevice),
      sessionOnly: true,
      value: ({ caller }) =>
        db.q
          .selectFrom('known_device')
          .select(['device', 'network', 'last_at as lastAt'])
          .where('user_id', '=', caller.user.id)
          .orderBy('last_at', 'desc')
          .execute(),
    },
    {
      name: 'accessRequest',
      Shape: z.nullable(Request),
      value: async ({ caller }) => {
        const row = await requestOf(db.q, caller.user.id)
        return row ? Request.parse({ ...row, decidedAt: row.decided_at }) : null
      },
    },
    {
      name: 'apiKeys',
      Shape: z.array(ApiKey),
      sessionOnly: true,
      value: ({ caller }) => apiKeysOf(db.q, caller.user.id),
    },
    {
      name: 'channels',
      Shape: z.array(Channel),
      sessionOnly: true,
      value: async ({ caller, withSecrets }) => {
        const channels = await channelsOf(context, caller.user.id)
        return channels.map((channel) => ({
          ...toChannel(channel),
          ...(withSecrets && { settings: channel.settings }),
        }))
      },
    },
    {
      name: 'inbox',
      Shape: z.array(InboxItem),
      pages: ({ caller }) =>
        readPages(inboxPage, async (before) => (await readInbox(db.q, caller.user, now(), before)).items),
    },
    {
      name: 'activity',
      Shape: z.array(Activity),
      sessionOnly: true,
      pages: ({ caller }) => readPages(activityPage, (before) => readActivity(db.q, caller.user.id, before)),
    },
  ]
}

/** Reads a list page by page, newest first; a page that isn't full is the last one. */
async function* readPages<Item extends { at: Instant }>(
  size: number,
  read: (before: Instant | undefined) => Promise<readonly Item[]>,
): AsyncIterable<readonly Item[]> {
  let before: Instant | undefined
  for (;;) {
    const page = await read(before)
    yield page
    before = page.at(-1)?.at
    if (before === undefined || page.length < size) return
  }
}

const Day = z.object({ day: z.string(), ok: z.int(), fail: z.int() })
type Day = z.infer<typeof Day>
const exportedDays = 90
/** Entries per batch, few enough to read and write within a few milliseconds. */
const atOnce = 20
const incidentsAtOnce = 500

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
        const batch = page.slice(from, from + atOnce)
        const byEntry = await daysOf(context, batch)
        yield batch.flatMap((entry) => {
          const fields = toExportedEntry(context, tool, entry, reader)
          return fields ? [{ ...fields, days: byEntry.get(entry.id) ?? [] }] : []
        })
        await setImmediate()
      }
}

/** An entry for the file, with secrets masked unless `withSecrets`; undefined if it can't be read. */
function toExportedEntry(context: Context, tool: AnyEntryToolServer, entry: StoredEntry, { withSecrets }: Reader) {
  const { id, name, about, status, notifyAfter, createdAt, updatedAt, health, failingSince, lastRun } = entry
  try {
    const settings = openSettings(tool, entry.settings, context)
    const common = { tool: tool.contract.id, id, name, about, status, notifyAfter }
    const fields = { ...common, ...tool.show?.(entry.settings, context, settings), ...settings }
    const exported = withSecrets
      ? fields
      : { ...fields, ...tool.secrets?.mask(settings), ...maskFields(fields, tool.masks ?? {}) }
    return { ...exported, createdAt, updatedAt, health, failingSince, lastRun }
  } catch (error) {
    context.log.error({ err: error, entry: id }, 'An entry cannot be read; omitted from an export')
    return undefined
  }
}

async function daysOf({ db, now }: Context, entries: readonly StoredEntry[]): Promise<Map<string, Day[]>> {
  const ids = entries.map(({ id }) => id)
  const rows = await db.longRead(sql<Day & { entry_id: string }>`
    select entry_id, day, ok, fail from run_day
    where ${db.isOneOf('entry_id', ids)} and day > ${dayOf(now() - days(exportedDays))} order by entry_id, day`)
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
      .select(['incident.note', 'incident.noted_at as notedAt'])
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

type Reader = { caller: Caller; withSecrets: boolean }

/** A member of the export: one value, or a list that is read page by page. */
type Part = {
  name: string
  Shape: z.ZodMiniType
  /** Omitted for API keys, which may not read this data elsewhere either. */
  sessionOnly?: true
} & ({ value(reader: Reader): Promise<unknown> } | { pages(reader: Reader): AsyncIterable<readonly unknown[]> })

/** Parts that API keys don't get are optional. */
export const fileShape = (parts: readonly Part[]) =>
  z.object({
    $schema: z.string(),
    format: z.literal(fileFormat),
    version: z.literal(fileVersion),
    exportedAt: z.int(),
    server: z.string(),
    secrets: z.enum(['masked', 'included']),
    ...Object.fromEntries(
      parts.map(({ name, Shape, sessionOnly: forSessions }) => [name, forSessions ? z.optional(Shape) : Shape]),
    ),
  })

/** Yields the file piece by piece as it is read. Each member, and each item of a list, begins on its own line. */
export async function* fileOf(
  parts: readonly Part[],
  reader: Reader,
  { baseUrl, at }: { baseUrl: string; at: number },
): AsyncIterable<string> {
  const head = {
    $schema: baseUrl + schemaPath,
    format: fileFormat,
    version: fileVersion,
    exportedAt: at,
    server: baseUrl,
    secrets: reader.withSecrets ? 'included' : 'masked',
  }
  yield JSON.stringify(head, null, 1).replace(/\n}$/, '')
  const isSession = reader.caller.via.kind === 'session'
  for (const part of parts) {
    if (part.sessionOnly && !isSession) continue
    yield `,\n ${JSON.stringify(part.name)}: `
    if ('pages' in part) yield* list(part.pages(reader))
    else yield json(await part.value(reader))
    await setImmediate()
  }
  yield '\n}\n'
}

const json = (value: unknown) =>
  Array.isArray(value) ? `[${linesOf(value)}${value.length > 0 ? '\n ' : ''}]` : JSON.stringify(value)

const linesOf = (items: readonly unknown[]) => items.map((item) => `\n  ${JSON.stringify(item)}`).join(',')

async function* list(pages: AsyncIterable<readonly unknown[]>): AsyncIterable<string> {
  let before = '['
  for await (const page of pages) {
    if (page.length === 0) continue
    yield before + linesOf(page)
    before = ','
    // Let other requests run before the next page.
    await setImmediate()
  }
  yield before === '[' ? '[]' : '\n ]'
}
