import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type * as z from 'zod/mini'
import { type EntryBody, insertOwnedEntry, pickSettings, updateEntry } from '../entries/edit/write.ts'
import { paceImported } from '../entries/runs/run-batches.ts'
import { completeSettings, openSettings } from '../entries/settings.ts'
import { canSeeAll, entryLimitMessage, entryStore } from '../entries/store.ts'
import { entryChanged, type StoredEntry } from '../entries/stored-entry.ts'
import { changesFromNull, writeAudit } from '../people/audit/log.ts'
import type { Context } from '../platform/context.ts'
import { lockEntriesOf } from '../platform/db/locks.ts'
import type { Queries } from '../platform/db/open.ts'
import { requireStorable } from '../platform/db/storable.ts'
import { transact } from '../platform/db/transact.ts'
import type { ActingUser, ActingUserWithRecheck } from '../platform/http/access/actor.ts'
import type { Caller } from '../platform/http/app.ts'
import { beginOf, firstLine, UnreadableFile } from '../platform/imports/file.ts'
import {
  describePosition,
  type ImportResult,
  importFile,
  isDraft,
  planRows,
  positionOf,
  type RefusedStep,
  type RowPosition,
  type RowSubject,
  type UploadedFile,
} from '../platform/imports/import-file.ts'
import { pacer } from '../platform/imports/pacer.ts'
import type { LiveEvent } from '../platform/live/events.ts'
import { HttpError } from '../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../shared/time.ts'
import {
  aboutOf,
  type Draft,
  type EntryRow,
  type ImportingTool,
  isOpening,
  isTable,
  readEntryTable,
  readJson,
  readList,
} from './read-file.ts'

/** Imports entries from a file in one transaction, all or nothing. */
export function createImporter(context: Context, tools: readonly ImportingTool[]) {
  const check = checker(context)

  const { q } = context.db
  return ({ recheckAccess, ...by }: ActingUserWithRecheck, file: UploadedFile): Promise<ImportResult> =>
    importFile(file, {
      ofNoTool: { tool: null },
      read: (text) => readFile(text, file.type, tools),
      async plan(rows) {
        const steps = await planOf(context, q, by.user, rows)
        return check(by.user, steps, await roomFor(context, q, by.user))
      },
      async write(steps, rows) {
        // Looking up hosts takes time, in which the user may have lost access.
        await recheckAccess()
        await writeSteps(context, by, rows, steps)
        return steps
      },
    })
}

/** The media types of an imported file. With text/plain, the content decides how it is read. */
export const fileTypes = ['application/json', 'text/csv', 'text/plain'] as const

/** Throws UnreadableFile if the file can't be imported. */
async function readFile(text: Buffer, type: string, tools: readonly ImportingTool[]): Promise<EntryRow[]> {
  if (type === 'application/json') return readJson(text, tools)
  if (type === 'text/csv') return readEntryTable(text, tools)
  const { from } = await beginOf(text)
  if (isOpening(text[from])) return readJson(text, tools)
  const rows = isTable(firstLine(text)) ? await readEntryTable(text, tools) : await readList(text, tools)
  if (rows.length === 0) throw new UnreadableFile(1, 'This file is empty.')
  return rows
}

/** Throws a 409 if the user's entries have changed since the plan was made. */
async function writeSteps(
  context: Context,
  by: ActingUser,
  rows: readonly EntryRow[],
  planned: readonly Step[],
): Promise<void> {
  const { db, now, events, jobs } = context
  const liveEvents = await transact(db, async (tx) => {
    // Without these locks, two concurrent imports could both create the same entry.
    await entryStore(db, tx).lockOwner(by.user.id)
    await lockEntriesOf(db, tx, by.user.id)
    const steps = await planOf(context, tx, by.user, rows)
    const exceedsLimit = (await roomFor(context, tx, by.user)) < countOf(planned, 'created')
    if (exceedsLimit || steps.some((step, index) => !isAsPlanned(step, planned[index])))
      throw new HttpError(409, 'Your entries were changed in the meantime. Try again.')
    const liveEvents: LiveEvent[] = []
    const written: string[] = []
    for (const [index, step] of steps.entries()) {
      if (planned[index]?.outcome === 'refused' || !isWriteStep(step)) continue
      const { id, events } = await writeStep(context, tx, by, step)
      written.push(id)
      liveEvents.push(...events)
    }
    await paceImported(context, tx, by.user.id, written)
    const counts = { created: countOf(planned, 'created'), changed: countOf(planned, 'changed') }
    const changes = changesFromNull(counts)
    if (counts.created + counts.changed > 0)
      await writeAudit(tx, now(), { actor: by.actor, action: 'data.import', changes })
    return liveEvents
  })
  events.publish(liveEvents)
  jobs.wake()
}

const countOf = (steps: readonly Step[], outcome: Step['outcome']) =>
  steps.filter((step) => step.outcome === outcome).length

/** Whether a step still matches the plan; a step that the plan refused always does, since it isn't written. */
function isAsPlanned(step: Step, planned: Step | undefined): boolean {
  if (planned?.outcome === 'refused') return true
  const versionOf = (one: Step | undefined) =>
    one && 'before' in one ? `${one.before?.id} ${one.before?.updatedAt}` : undefined
  return step.outcome === planned?.outcome && versionOf(step) === versionOf(planned)
}

async function writeStep(
  context: Context,
  tx: Queries,
  by: ActingUser,
  step: WriteStep,
): Promise<{ id: string; events: LiveEvent[] }> {
  if (step.outcome === 'created') {
    const ownerId = by.user.id
    const id = await insertOwnedEntry(context, tx, step.of, by, { ...step, ownerId })
    return { id, events: [entryChanged(step.of.contract.id, id, ownerId, 'created')] }
  }
  const { id } = step.before
  const written = await updateEntry(context, tx, step.of, by, { id, body: step.body })
  return { id, events: [...(written?.owners ?? [])].map((ownerId) => entryChanged(step.of.contract.id, id, ownerId)) }
}

/** How long results of checks are remembered, so that an import reuses those of its preview. */
const verdictsKeptFor: Milliseconds = minutes(10)
const mostRemembered = 10_000
const atOnce = 100
/** Entries whose check hasn't started within this time are left for the next attempt. */
const checkTimeLimit: Milliseconds = seconds(10)
const tooLateMessage = 'This took too long to look up. Try again to continue from here.'
const retryAfterSeconds = 1

type WriteStep = Extract<Step, { outcome: 'created' | 'changed' }>
const isWriteStep = (step: Step): step is WriteStep => step.outcome === 'created' || step.outcome === 'changed'

/** `until` is the deadline for starting checks; `pause` lets other requests run. */
type CheckBudget = { until: Milliseconds; pause: ReturnType<typeof pacer> }
type CheckOutcome = { why: string | null }

/** Validates a plan's writes by the rules of the call for a single entry. */
function checker({ visitLimits, ...rest }: Context) {
  const { elapsed } = rest
  // The rate limit of new URLs doesn't apply to a file as a whole; its first runs are spread out instead.
  const context = { ...rest, visitLimits: { ...visitLimits, consumeUrl: () => () => {} } }
  const rememberedChecks = new LRUCache<string, CheckOutcome>({
    maxSize: mostRemembered,
    sizeCalculation: () => 1,
    ttl: verdictsKeptFor,
    perf: { now: elapsed },
  })

  async function check(user: Caller['user'], step: WriteStep, { until, pause }: CheckBudget): Promise<Step> {
    const before = step.outcome === 'changed' ? step.before.settings : undefined
    await pause()
    if (isDeepStrictEqual(step.settings, before)) return step
    const key = createHash('sha256')
      .update(JSON.stringify([user.id, step.of.contract.id, step.body, before]))
      .digest('base64')
    const rememberedCheck = rememberedChecks.get(key)
    if (rememberedCheck) return rememberedCheck.why === null ? step : refusedStep(step, rememberedCheck.why)
    if (elapsed() >= until) return refusedStep(step, tooLateMessage, { wait: retryAfterSeconds })
    try {
      await step.of.validate?.(step.settings, context, before, user)
      rememberedChecks.set(key, { why: null })
      return step
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      if (error.retryAfter !== undefined) return refusedStep(step, error.message, { wait: error.retryAfter })
      rememberedChecks.set(key, { why: error.message })
      return refusedStep(step, error.message)
    }
  }

  /** Checks new entries in order until the user's limit is reached; refused ones don't count towards it. */
  return async (user: Caller['user'], steps: readonly Step[], room: number): Promise<Step[]> => {
    const budget = { until: elapsed() + checkTimeLimit, pause: pacer() }
    const limit = pLimit(atOnce)
    const checked = new Map<Step, Step>()
    let remaining = room
    for (let queue = steps; queue.length > 0; ) {
      let count = 0
      const fits = (step: Step) => step.outcome !== 'created' || ++count <= remaining
      const { next = [], later = [] } = Object.groupBy(queue, (step) => (fits(step) ? 'next' : 'later'))
      const checkedSteps = await Promise.all(
        next.map((step) => (isWriteStep(step) ? limit(() => check(user, step, budget)) : step)),
      )
      for (const [index, step] of next.entries()) checked.set(step, checkedSteps[index] ?? step)
      remaining -= checkedSteps.filter(({ outcome }) => outcome === 'created').length
      queue = later
      if (remaining > 0) continue
      for (const step of later) checked.set(step, refusedStep(step, entryLimitMessage))
      break
    }
    return steps.map((step) => checked.get(step) ?? step)
  }
}

type PlannedWrite = { of: ImportingTool; body: EntryBody; settings: Settings }
type Step =
  | RefusedStep
  | (RowPosition &
      RowSubject &
      (
        | (PlannedWrite & { outcome: 'created' })
        | (PlannedWrite & { outcome: 'changed'; before: ExistingEntry })
        | { outcome: 'same'; why?: string; before?: ExistingEntry }
      ))

/** Plans all rows against the user's current entries, without validating settings or the limit of entries. */
async function planOf(context: Context, q: Queries, user: Caller['user'], rows: readonly EntryRow[]): Promise<Step[]> {
  const existing = await existingByDraft(context, q, user, rows.filter(isDraft))
  const seen = new Map<string, RowPosition>()
  return planRows(rows, aboutOf, (draft, about): Step => {
    const twin = earlierDuplicateOf(draft, seen)
    if (twin) return { ...about, outcome: 'same', why: `The same as ${describePosition(twin)}.` }
    const before = existing.get(draft)
    return { ...about, ...(before ? changeOf(draft, before) : creationOf(draft)) }
  })
}

const roomFor = ({ db }: Pick<Context, 'db'>, q: Queries, user: Caller['user']): number | Promise<number> =>
  canSeeAll(user) ? Number.POSITIVE_INFINITY : entryStore(db, q).room(user.id)

const refusedStep = (step: Step, why: string, more: { wait?: number } = {}): Step => {
  const { what, tool = null } = step
  return { ...positionOf(step), what, tool, outcome: 'refused', why, ...more }
}

/** Where an identical item precedes this one. Ignores items with an id: an export may contain identical entries. */
function earlierDuplicateOf(draft: Draft & RowPosition, seen: Map<string, RowPosition>): RowPosition | undefined {
  const { tool, id, body } = draft
  if (id !== undefined) return undefined
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([tool.contract.id, body]))
    .digest('base64')
  const before = seen.get(fingerprint)
  if (before === undefined) seen.set(fingerprint, draft)
  return before
}

async function existingByDraft(context: Context, q: Queries, user: Caller['user'], drafts: readonly Draft[]) {
  const pause = pacer()
  const matched = new Map<Draft, ExistingEntry>()
  for (const [tool, ofTool] of Map.groupBy(drafts, (draft) => draft.tool)) {
    const existing = await loadExistingEntries(context, q, tool, user.id)
    const candidates: Candidate[] = []
    for (const draft of ofTool) {
      await pause()
      candidates.push({ draft, completeBody: tool.contract.CreateBody.safeParse(draft.body).data })
    }
    for (const [draft, entry] of await matches(tool, candidates, existing)) matched.set(draft, entry)
  }
  return matched
}

function creationOf(draft: Draft) {
  const { tool } = draft
  const body: EntryBody = parseBody(tool.contract.CreateBody, draft.body)
  const settings = completeSettings(tool, { changes: pickSettings(tool, body), isHandedOver: false }, undefined)
  return { outcome: 'created' as const, of: tool, body, settings }
}

function changeOf(draft: Draft, before: ExistingEntry) {
  const { tool } = draft
  const { field, identity } = tool.imports
  const { id: _, ...named } = parseBody(tool.contract.PatchBody, { ...draft.body, id: before.id })
  const body: EntryBody = { ...named }
  // Another spelling of the same value is no change, and a mask stands for the stored value.
  const isSame = identity(String(body[field])) === identity(String(before.settings[field]))
  if (isSame) delete body[field]
  const settings = completeSettings(tool, { changes: pickSettings(tool, body), isHandedOver: false }, before.settings)
  const { name = before.name, status = before.status, notifyAfter = before.notifyAfter } = body
  if (isDeepStrictEqual({ ...before, name, status, notifyAfter, settings }, before))
    return { outcome: 'same' as const, before }
  return { outcome: 'changed' as const, of: tool, body, settings, before }
}

/** Throws a 400 whose message names the invalid field. */
function parseBody(Body: z.ZodMiniObject, input: object): Record<string, unknown> {
  requireStorable(input)
  const { data, error } = Body.safeParse(input)
  if (data) return data
  for (const issue of error.issues)
    if (issue.code === 'unrecognized_keys') throw new HttpError(400, `Unknown field: ${issue.keys.join(', ')}.`)
  const [issue] = error.issues
  throw new HttpError(400, issue ? `${issue.path.join('.')}: ${issue.message}` : 'Not valid.')
}

type Settings = Record<string, unknown>
type ExistingEntry = Pick<StoredEntry, 'id' | 'name' | 'status' | 'notifyAfter' | 'updatedAt'> & { settings: Settings }

/** A user's entries of a tool, without those that can't be read. */
async function loadExistingEntries(
  context: Context,
  q: Queries,
  tool: ImportingTool,
  ownerId: string,
): Promise<ExistingEntry[]> {
  const pause = pacer()
  const found: ExistingEntry[] = []
  for await (const page of entryStore(context.db, q).owned(tool.contract.id, ownerId)) {
    for (const { id, name, status, notifyAfter, settings: stored, updatedAt } of page) {
      const settings = tryOpenSettings(context, tool, stored)
      if (settings) found.push({ id, name, status, notifyAfter, settings, updatedAt })
    }
    await pause()
  }
  return found
}

function tryOpenSettings(context: Context, tool: ImportingTool, stored: unknown): Settings | undefined {
  try {
    return openSettings(tool, stored, context)
  } catch {
    return undefined
  }
}

/** `completeBody` is the body of a new entry made from the draft; undefined if the draft is not enough for one. */
type Candidate = { draft: Draft; completeBody: Readonly<Record<string, unknown>> | undefined }

/** Finds an entry for each draft: by id, else equal fields, else name and URL, else URL. Uses each entry once. */
async function matches(
  tool: ImportingTool,
  candidates: readonly Candidate[],
  existing: readonly ExistingEntry[],
): Promise<Map<Draft, ExistingEntry>> {
  const pause = pacer()
  const free = new Set(existing)
  const found = new Map<Draft, ExistingEntry>()
  const match = (draft: Draft, entry: ExistingEntry | undefined) => {
    if (entry && free.delete(entry)) found.set(draft, entry)
  }
  const byId = new Map(existing.map((entry) => [entry.id, entry]))
  for (const { draft } of candidates) if (draft.id !== undefined) match(draft, byId.get(draft.id))

  const { inFull, byName, urlKey } = matchKeys(tool, existing)
  const freeByKey = (keyOf: (fields: Fields) => string) =>
    Map.groupBy(free, (entry) => keyOf({ ...entry.settings, ...entry }))
  const rounds = [
    [inFull, ({ completeBody }: Candidate) => completeBody],
    [byName, ({ draft }: Candidate) => draft.body],
    [urlKey, ({ draft }: Candidate) => draft.body],
  ] as const
  for (const [keyOf, fieldsOf] of rounds) {
    const queues = freeByKey(keyOf)
    for (const candidate of candidates) {
      await pause()
      const fields = fieldsOf(candidate)
      if (fields && !found.has(candidate.draft)) match(candidate.draft, queues.get(keyOf(fields))?.shift())
    }
  }
  return found
}

type Fields = Readonly<Record<string, unknown>>

/** The keys by which entries and drafts are compared. They leave out secrets, which may be masked. */
function matchKeys(tool: ImportingTool, [first]: readonly ExistingEntry[]) {
  const { field, identity } = tool.imports
  const secret = Object.keys((first && tool.secrets?.mask(first.settings)) ?? {})
  const comparableFields = Object.keys(tool.contract.Settings.shape).filter(
    (name) => name !== field && !secret.includes(name),
  )
  const urlKey = (fields: Fields) => identity(String(fields[field] ?? ''))
  const byName = (fields: Fields) => JSON.stringify([urlKey(fields), fields.name ?? null])
  const inFull = (fields: Fields) =>
    JSON.stringify([byName(fields), fields.status, fields.notifyAfter, comparableFields.map((name) => fields[name])])
  return { urlKey, byName, inFull }
}
