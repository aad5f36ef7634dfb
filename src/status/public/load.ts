import { type Expression, type SqlBool, sql } from 'kysely'
import * as z from 'zod/mini'
import { mayPublish, PublicState, publicAwake, publicState, stateColumns } from '../../entries/badges/public-state.ts'
import { Awake } from '../../entries/contract.ts'
import { calledUrlOf } from '../../entries/settings.ts'
import type { AnyEntryToolServer, SettingsContext } from '../../entries/tool-server.ts'
import type { Context } from '../../platform/context.ts'
import type { Bool } from '../../platform/db/tables.ts'
import { dayOf, days, type Instant } from '../../shared/time.ts'
import { withoutQuery } from '../../shared/urls/web-url.ts'
import type { StatusPageBody } from '../contract.ts'
import { pageEntries } from '../store.ts'

const pageSize = 100
export const daysShown = 90
export const maxPast = 20

export const PublicEntry = z.object({
  name: z.string(),
  state: PublicState,
  awake: Awake,
  /** Set only if the owner shows it. */
  url: z.optional(z.string()),
  /** 0–1 over 90 days; null until checks cover half of them. */
  uptime: z.nullable(z.number()),
  /** The success rate of each of these days (UTC), 0–1, or null without checks; oldest first. */
  days: z.array(z.nullable(z.number())),
})
export type PublicEntry = z.infer<typeof PublicEntry>
export type Days = PublicEntry['days']

export const PublicIncident = z.object({
  name: z.string(),
  cause: z.string(),
  openedAt: z.int(),
  closedAt: z.nullable(z.int()),
  note: z.nullable(z.string()),
  notedAt: z.nullable(z.int()),
})
export type PublicIncident = z.infer<typeof PublicIncident> & { id: string }

export type PublicPage = {
  ownerId: string
  /** The id of the whole status page. */
  id: string
  slug: string
  title: string
  text: string
  at: Instant
  /** The last day of `days`. */
  today: string
  page: number
  pages: number
  count: number
  /** Number of entries across all pages. */
  states: Partial<Record<PublicState, number>>
  entries: PublicEntry[]
  /** Newest first. */
  open: PublicIncident[]
  past: PublicIncident[]
  updatedAt: Instant
}

export type PublicContext = SettingsContext & Pick<Context, 'log'>

/** Undefined for an unknown slug or page number, and while the owner may not use the tools. */
export async function loadPage(
  context: PublicContext,
  tools: ReadonlyMap<string, AnyEntryToolServer>,
  { slug, page }: { slug: string; page: number },
): Promise<PublicPage | undefined> {
  const { db } = context
  const owned = await db.q
    .selectFrom('status_page')
    .innerJoin('users', 'users.id', 'status_page.user_id')
    .select(['status_page.id', 'status_page.user_id', 'status_page.title', 'status_page.text'])
    .select(['status_page.updated_at', 'users.status', 'users.roles'])
    .where('slug', '=', slug)
    .executeTakeFirst()
  if (!owned || !mayPublish(owned)) return undefined
  const rows = await pageEntries(db.q, owned.id)
    .select([...shownColumns, 'status_page_entry.show_url', 'status_page_entry.name as publicName'])
    .execute()
  if (page > pagesOf(rows)) return undefined
  const { title, text } = owned
  const head = { ownerId: owned.user_id, id: owned.id, slug, title, text, updatedAt: owned.updated_at }
  return assemble(context, tools, { ...head, rows, page })
}

/** The page as visitors would see it once saved, without entries that aren't the owner's. */
export async function loadPreview(
  context: PublicContext,
  tools: ReadonlyMap<string, AnyEntryToolServer>,
  { ownerId, title, text, entries }: { ownerId: string } & Omit<StatusPageBody, 'slug'>,
): Promise<PublicPage> {
  const { db } = context
  const ids = entries.map(({ id }) => id)
  const owned = db.q.selectFrom('entry').select(shownColumns).where('owner_id', '=', ownerId)
  const own = await owned.where(db.isOneOf('id', ids)).execute()
  const byId = new Map(own.map((row) => [row.id, row]))
  const rows = entries.flatMap(({ id, name, showUrl }) => {
    const row = byId.get(id)
    return row ? [{ ...row, publicName: name, show_url: showUrl ? (1 as const) : (0 as const) }] : []
  })
  const head = { ownerId, id: '', slug: '', title, text, updatedAt: context.now() }
  return assemble(context, tools, { ...head, rows, page: 1 })
}

const shownColumns = [...stateColumns, 'entry.id', 'entry.tool', 'entry.name', 'entry.settings'] as const

type Row = Parameters<typeof publicState>[0] &
  Parameters<typeof publicAwake>[0] & { id: string; tool: string; name: string | null; settings: string } & {
    publicName: string | null
    show_url: Bool
  }
type Head = Pick<PublicPage, 'ownerId' | 'id' | 'slug' | 'title' | 'text' | 'updatedAt' | 'page'> & { rows: Row[] }

const pagesOf = (rows: readonly unknown[]) => Math.max(1, Math.ceil(rows.length / pageSize))

async function assemble(
  context: PublicContext,
  tools: ReadonlyMap<string, AnyEntryToolServer>,
  { rows, ...head }: Head,
): Promise<PublicPage> {
  const { page } = head
  const at = context.now()
  const names = new Map(rows.map((row, index) => [row.id, row.publicName ?? row.name ?? `Entry ${index + 1}`]))
  const here = rows.slice((page - 1) * pageSize, page * pageSize)
  const ids = here.map(({ id }) => id)
  const byEntry = await loadDays(context, ids, at)
  const states: PublicPage['states'] = {}
  for (const row of rows) states[publicState(row)] = (states[publicState(row)] ?? 0) + 1
  const incidents = await loadIncidents(context, names, at)
  return {
    ...head,
    at,
    today: dayOf(at),
    pages: pagesOf(rows),
    count: rows.length,
    states,
    entries: here.map((row) => {
      const stats = byEntry.get(row.id) ?? { days: noDays, uptime: null }
      const tool = tools.get(row.tool)
      // The URL that it calls, if that may be public; a webhook never may.
      const called = row.show_url === 1 && tool ? calledUrlOf(tool, row.settings, context) : undefined
      const url = called && withoutQuery(called)
      const doing = { state: publicState(row), awake: publicAwake(row) }
      return { name: names.get(row.id) ?? '', ...doing, ...(url !== undefined && { url }), ...stats }
    }),
    ...incidents,
  }
}

const noDays: Days = Array.from({ length: daysShown }, () => null)

type DayStats = Pick<PublicEntry, 'uptime' | 'days'>

const isHalfCovered = (days: Days) => days.findIndex((share) => share !== null) < daysShown / 2

/** The last 90 days of these entries, in a read that doesn't delay other queries. */
async function loadDays({ db }: Pick<Context, 'db'>, ids: readonly string[], now: Instant) {
  const from = dayOf(now - days(daysShown - 1))
  const rows = await db.longRead(sql<{ id: string; day: string; ok: number; fail: number }>`
    select entry_id as id, day, ok, fail from run_day
    where ${db.isOneOf('entry_id', ids)} and day >= ${from} and day <= ${dayOf(now)}`)
  const first = Date.parse(from)
  const byEntry = new Map<string, { ok: number; runs: number; days: Days }>()
  for (const { id, day, ok, fail } of rows) {
    const totals = byEntry.get(id) ?? { ok: 0, runs: 0, days: [...noDays] }
    totals.ok += ok
    totals.runs += ok + fail
    totals.days[Math.round((Date.parse(day) - first) / days(1))] = ok + fail === 0 ? null : ok / (ok + fail)
    byEntry.set(id, totals)
  }
  return new Map(
    Array.from(byEntry, ([id, { ok, runs, days }]): [string, DayStats] => [
      id,
      { uptime: isHalfCovered(days) && runs > 0 ? ok / runs : null, days },
    ]),
  )
}

/** The open incidents, except those of paused entries, and the last closed ones. */
async function loadIncidents(
  { db }: Pick<Context, 'db'>,
  names: ReadonlyMap<string, string>,
  now: Instant,
): Promise<Pick<PublicPage, 'open' | 'past'>> {
  const find = (condition: Expression<SqlBool>) =>
    db.q
      .selectFrom('incident')
      .innerJoin('entry', 'entry.id', 'incident.entry_id')
      .select(['incident.id', 'entry.id as entry', 'incident.cause', 'incident.note', 'incident.noted_at as notedAt'])
      .select(['incident.opened_at as openedAt', 'incident.closed_at as closedAt'])
      .where(db.isOneOf('entry.id', [...names.keys()]))
      .where(condition)
      .orderBy('incident.opened_at', 'desc')
      .orderBy('incident.id')
  const open = await find(sql`incident.closed_at is null and entry.status = 1`).limit(pageSize).execute()
  const past = await find(sql`incident.closed_at is not null and incident.opened_at > ${now - days(daysShown)}`)
    .limit(maxPast)
    .execute()
  const toPublic = ({ entry, cause, ...incident }: (typeof open)[number]): PublicIncident => {
    return { ...incident, name: names.get(entry) ?? '', cause: causeOf(cause) }
  }
  return { open: open.map(toPublic), past: past.map(toPublic) }
}

/** Public causes of failures, chosen by the run's note. The note may contain texts, names and addresses. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/^timeout\b/, 'No response in time'],
  [/^dns\b/, 'Name not found'],
  [/^connect\b/, 'No connection'],
  [/^tls\b/, 'Certificate or encryption problem'],
  [/^answered [45]\d\d\b/, 'Answered with an error'],
  [/^answered\b|answered in a way that ToolBox does not know/, 'Unexpected response'],
  [/^(?:still asleep|still starting|fell asleep)\b/, 'Asleep'],
  [/^(?:paused|gone):/, 'Paused by its host'],
  [/^restricted:/, 'Restricted by its host'],
]

export const causeOf = (note: string): string => causes.find(([form]) => form.test(note))?.[1] ?? 'Failed'

export const publicCauses: readonly string[] = [...causes.map(([, cause]) => cause), 'Failed']
