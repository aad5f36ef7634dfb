import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod/mini'
import { type EntryBody, pick } from '../entries/edit/write.ts'
import { completeSettings, openSettings } from '../entries/settings.ts'
import { entryStore, seesAll } from '../entries/store.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import { requireStorable } from '../platform/db/storable.ts'
import type { Caller } from '../platform/http/app.ts'
import {
  type About,
  inWords,
  isDraft,
  planRows,
  type RefusedStep,
  type Spot,
  spotOf,
} from '../platform/imports/import-file.ts'
import { pacer } from '../platform/imports/pacer.ts'
import { HttpError } from '../shared/http-error.ts'
import type { Instant } from '../shared/time.ts'
import { aboutOf, type Draft, type EntryRow, type ImportingTool } from './draft.ts'

type Changing = { of: ImportingTool; body: EntryBody; settings: Settings }
/** What becomes of something in a file. */
export type Step =
  | RefusedStep
  | (Spot &
      About &
      (
        | (Changing & { outcome: 'created' })
        | (Changing & { outcome: 'changed'; before: Present })
        | { outcome: 'same'; why?: string; before?: Present }
      ))

/** What would become of all rows, by what is there now; nobody has looked yet whether it may be visited, nor whether there is room. */
export async function planOf(
  context: Context,
  q: Queries,
  user: Caller['user'],
  rows: readonly EntryRow[],
): Promise<Step[]> {
  const meant = await meantBy(context, q, user, rows.filter(isDraft))
  const seen = new Map<string, Spot>()
  return planRows(rows, aboutOf, (draft, about): Step => {
    const twin = twinOf(draft, seen)
    if (twin) return { ...about, outcome: 'same', why: `The same as ${inWords(twin)}.` }
    const before = meant.get(draft)
    return { ...about, ...(before ? changeOf(draft, before) : creationOf(draft)) }
  })
}

/** How many more entries a user may have. */
export const roomFor = ({ db }: Pick<Context, 'db'>, q: Queries, user: Caller['user']): number | Promise<number> =>
  seesAll(user) ? Number.POSITIVE_INFINITY : entryStore(db, q).room(user.id)

/** The same step, refused. */
export const refusedStep = (step: Step, why: string, more: { wait?: number } = {}): Step => {
  const { what, tool = null } = step
  return { ...spotOf(step), what, tool, outcome: 'refused', why, ...more }
}

/** Where all of it was said before; our own file may hold two entries that are alike. */
function twinOf(draft: Draft & Spot, seen: Map<string, Spot>): Spot | undefined {
  const { tool, id, body } = draft
  if (id !== undefined) return undefined
  const mark = createHash('sha256')
    .update(JSON.stringify([tool.contract.id, body]))
    .digest('base64')
  const before = seen.get(mark)
  if (before === undefined) seen.set(mark, draft)
  return before
}

async function meantBy(context: Context, q: Queries, user: Caller['user'], drafts: readonly Draft[]) {
  const pause = pacer()
  const meant = new Map<Draft, Present>()
  for (const [tool, ofTool] of Map.groupBy(drafts, (draft) => draft.tool)) {
    const present = await presentOf(context, q, tool, user.id)
    const offers: Offer[] = []
    for (const draft of ofTool) {
      await pause()
      offers.push({ draft, whole: tool.contract.CreateBody.safeParse(draft.body).data })
    }
    for (const [draft, entry] of await matches(tool, offers, present)) meant.set(draft, entry)
  }
  return meant
}

function creationOf(draft: Draft) {
  const { tool } = draft
  const body: EntryBody = parsed(tool.contract.CreateBody, draft.body)
  const settings = completeSettings(tool, { changes: pick(tool, body), isHandedOver: false }, undefined)
  return { outcome: 'created' as const, of: tool, body, settings }
}

function changeOf(draft: Draft, before: Present) {
  const { tool } = draft
  const { field, identity } = tool.imports
  const { id: _, ...named } = parsed(tool.contract.PatchBody, { ...draft.body, id: before.id })
  const body: EntryBody = { ...named }
  // Another way to write the same is no change, and a mask means what is there.
  const isSame = identity(String(body[field])) === identity(String(before.settings[field]))
  if (isSame) delete body[field]
  const settings = completeSettings(tool, { changes: pick(tool, body), isHandedOver: false }, before.settings)
  const { name = before.name, status = before.status, notifyAfter = before.notifyAfter } = body
  const after = { name, status, notifyAfter, settings }
  const now = { name: before.name, status: before.status, notifyAfter: before.notifyAfter, settings: before.settings }
  if (isDeepStrictEqual(after, now)) return { outcome: 'same' as const, before }
  return { outcome: 'changed' as const, of: tool, body, settings, before }
}

/** Throws a 400 that says what is wrong, in a sentence that names the field. */
function parsed(Body: z.ZodMiniObject, given: object): Record<string, unknown> {
  requireStorable(given)
  const { data, error } = Body.safeParse(given)
  if (data) return data
  for (const issue of error.issues)
    if (issue.code === 'unrecognized_keys') throw new HttpError(400, `Unknown field: ${issue.keys.join(', ')}.`)
  const [issue] = error.issues
  throw new HttpError(400, issue ? `${issue.path.join('.')}: ${issue.message}` : 'Not valid.')
}

type Settings = Record<string, unknown>
/** An entry that is there already. */
type Present = {
  id: string
  name: string | null
  status: boolean
  notifyAfter: number
  settings: Settings
  updatedAt: Instant
}

/** A user's entries of a tool, those that can be read. */
async function presentOf(context: Context, q: Queries, tool: ImportingTool, ownerId: string): Promise<Present[]> {
  const pause = pacer()
  const found: Present[] = []
  for await (const page of entryStore(context.db, q).owned(tool.contract.id, ownerId)) {
    for (const { id, name, status, notifyAfter, settings: stored, updatedAt } of page) {
      const settings = opened(context, tool, stored)
      if (settings) found.push({ id, name, status, notifyAfter, settings, updatedAt })
    }
    await pause()
  }
  return found
}

function opened(context: Context, tool: ImportingTool, stored: unknown): Settings | undefined {
  try {
    return openSettings(tool, stored, context)
  } catch {
    return undefined
  }
}

/** A draft, and all that a new entry made of it would be; undefined if none can be made of it alone. */
type Offer = { draft: Draft; whole: Readonly<Record<string, unknown>> | undefined }

/**
 * Which entry each draft means: the one with its id, else one that says the same, else one of the same name about the
 * same, else one about the same. No entry is meant twice.
 */
async function matches(
  tool: ImportingTool,
  offers: readonly Offer[],
  present: readonly Present[],
): Promise<Map<Draft, Present>> {
  const pause = pacer()
  const free = new Set(present)
  const found = new Map<Draft, Present>()
  const pair = (draft: Draft, entry: Present | undefined) => {
    if (entry && free.delete(entry)) found.set(draft, entry)
  }
  const byId = new Map(present.map((entry) => [entry.id, entry]))
  for (const { draft } of offers) if (draft.id !== undefined) pair(draft, byId.get(draft.id))

  const { inFull, byName, about } = marks(tool, present)
  const left = (markOf: (fields: Fields) => string) =>
    Map.groupBy(free, (entry) => markOf({ ...entry.settings, ...entry }))
  const rounds = [
    [inFull, ({ whole }: Offer) => whole],
    [byName, ({ draft }: Offer) => draft.body],
    [about, ({ draft }: Offer) => draft.body],
  ] as const
  for (const [markOf, fieldsOf] of rounds) {
    const queues = left(markOf)
    for (const offer of offers) {
      await pause()
      const fields = fieldsOf(offer)
      if (fields && !found.has(offer.draft)) pair(offer.draft, queues.get(markOf(fields))?.shift())
    }
  }
  return found
}

type Fields = Readonly<Record<string, unknown>>

/** By what an entry and a draft are compared; secrets, which may be masked, are no part of it. */
function marks(tool: ImportingTool, [first]: readonly Present[]) {
  const { field, identity } = tool.imports
  const secret = Object.keys((first && tool.secrets?.mask(first.settings)) ?? {})
  const open = Object.keys(tool.contract.Settings.shape).filter((name) => name !== field && !secret.includes(name))
  const about = (fields: Fields) => identity(String(fields[field] ?? ''))
  const byName = (fields: Fields) => JSON.stringify([about(fields), fields.name ?? null])
  const inFull = (fields: Fields) =>
    JSON.stringify([byName(fields), fields.status, fields.notifyAfter, open.map((name) => fields[name])])
  return { about, byName, inFull }
}
