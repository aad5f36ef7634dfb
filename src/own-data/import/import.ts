import { writeAudit } from '../../accounts/audit/log.ts'
import { changedEntry } from '../../entries/edit/changed-entry.ts'
import { insertOf, updateEntry } from '../../entries/edit/write.ts'
import { entryStore } from '../../entries/store.ts'
import type { Context } from '../../platform/context.ts'
import { lockEntriesOf } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Acting, By } from '../../platform/http/access/actor.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { Unreadable } from '../../platform/table-file/unreadable.ts'
import { HttpError } from '../../shared/http-error.ts'
import type { ImportReport } from '../contract.ts'
import { checker } from './check.ts'
import { type Finding, type ImportingTool, inWords, type Spot, spotOf } from './draft.ts'
import { planOf, roomFor, type Step } from './plan.ts'
import { readFile } from './read.ts'

/** `dry` changes nothing; `skip` leaves out what is refused, without which all of it is refused. */
export type Asked = { bytes: Uint8Array; type: string; dry: boolean; skip: boolean }
/** What came of it, and why none of it was imported; `wait` in seconds if that is only a matter of time. */
export type Imported = { report: ImportReport; error?: string; wait?: number }

/** Brings entries from a file: all of it, or nothing, in one transaction. */
export function importer(context: Context, tools: readonly ImportingTool[]) {
  const check = checker(context)

  return async ({ insistStill, ...by }: Acting, { dry, skip, ...file }: Asked): Promise<Imported> => {
    let findings: Finding[]
    try {
      findings = await readFile(file, tools)
    } catch (error) {
      if (error instanceof Unreadable) return unreadable(error)
      throw error
    }
    const { q } = context.db
    const plan = await planOf(context, q, by.user, findings)
    const steps = await check(by.user, plan, await roomFor(context, q, by.user))
    const report = reportOf(steps)
    if (dry) return { report }
    if (report.refused.length > 0 && !skip) return refusal(steps, report)
    // Looking up hosts takes time.
    await insistStill()
    await carryOut(context, by, findings, steps)
    return { report }
  }
}

const beginning = (spot: Spot) => inWords(spot).replace(/^l/, 'L')

const none = { created: 0, changed: 0, same: 0 }

function unreadable({ line, message: why }: Unreadable): Imported {
  const lines = [{ line, outcome: 'refused' as const, tool: null, what: '', why }]
  return { report: { ...none, refused: [{ line, why }], lines }, error: `Line ${line}: ${why}` }
}

/** Nothing was imported, so nothing was created or changed. */
function refusal(steps: readonly Step[], report: ImportReport): Imported {
  const waits = steps.flatMap((step) => (step.outcome === 'refused' ? [step.wait] : []))
  const { length } = report.refused
  const [first] = report.refused
  const error =
    length === 1 && first
      ? `${beginning(first)}: ${first.why}`
      : `${length} lines are refused, so nothing was imported.`
  const isOnlyLate = waits.every((wait) => wait !== undefined)
  const lines = report.lines.filter(({ outcome }) => outcome === 'refused')
  return { report: { ...report, ...none, lines }, error, ...(isOnlyLate && { wait: Math.max(...waits) }) }
}

function reportOf(steps: readonly Step[]): ImportReport {
  const count = (outcome: Step['outcome']) => steps.filter((step) => step.outcome === outcome).length
  return {
    created: count('created'),
    changed: count('changed'),
    same: count('same'),
    refused: steps.flatMap((step) => (step.outcome === 'refused' ? [{ ...spotOf(step), why: step.why }] : [])),
    lines: steps.map((step) => {
      const why = 'why' in step ? step.why : undefined
      const { outcome, tool, what } = step
      return { ...spotOf(step), outcome, tool, what, ...(why !== undefined && { why }) }
    }),
  }
}

/** Writes what was planned, if all that is there is still as it was then. */
async function carryOut(
  context: Context,
  by: By,
  findings: readonly Finding[],
  planned: readonly Step[],
): Promise<void> {
  const { db, now, events, jobs } = context
  const told = await transact(db, async (tx) => {
    // Two imports at once would both create what neither finds.
    await entryStore(db, tx).lockOwner(by.user.id)
    await lockEntriesOf(db, tx, by.user.id)
    const steps = await planOf(context, tx, by.user, findings)
    const isTight = (await roomFor(context, tx, by.user)) < countOf(planned, 'created')
    if (isTight || steps.some((step, index) => !isAsPlanned(step, planned[index])))
      throw new HttpError(409, 'Your entries were changed in the meantime. Try again.')
    const told: LiveEvent[] = []
    for (const [index, step] of steps.entries())
      if (planned[index]?.outcome !== 'refused') told.push(...(await write(context, tx, by, step)))
    const counts = { created: countOf(planned, 'created'), changed: countOf(planned, 'changed') }
    const changes = Object.entries(counts).map(([field, to]) => ({ field, from: null, to }))
    if (counts.created + counts.changed > 0)
      await writeAudit(tx, now(), { actor: by.actor, action: 'data.import', changes })
    return told
  })
  events.publish(told)
  jobs.wake()
}

const countOf = (steps: readonly Step[], outcome: Step['outcome']) =>
  steps.filter((step) => step.outcome === outcome).length

/** What was refused since the plan stays out. */
function isAsPlanned(step: Step, planned: Step | undefined): boolean {
  if (planned?.outcome === 'refused') return true
  const versionOf = (one: Step | undefined) =>
    one && 'before' in one ? `${one.before?.id} ${one.before?.updatedAt}` : undefined
  return step.outcome === planned?.outcome && versionOf(step) === versionOf(planned)
}

async function write(context: Context, tx: Queries, by: By, step: Step): Promise<LiveEvent[]> {
  if (step.outcome === 'created') {
    const ownerId = by.user.id
    const id = await insertOf(context, tx, step.of, by, { ...step, ownerId })
    return [changedEntry(step.of.contract.id, id, ownerId, 'created')]
  }
  if (step.outcome !== 'changed') return []
  const { id } = step.before
  const owners = await updateEntry(context, tx, step.of, by, { id, body: step.body })
  return [...(owners ?? [])].map((ownerId) => changedEntry(step.of.contract.id, id, ownerId))
}
