import { insertOf, updateEntry } from '../../entries/edit/write.ts'
import { entryStore } from '../../entries/store.ts'
import { changedEntry } from '../../entries/stored-entry.ts'
import { writeAudit } from '../../people/audit/log.ts'
import type { Context } from '../../platform/context.ts'
import { lockEntriesOf } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Acting, By } from '../../platform/http/access/actor.ts'
import { type Imported, readOrRefuse, refusal, reportOf } from '../../platform/imports/report.ts'
import type { SentFile } from '../../platform/imports/route.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { HttpError } from '../../shared/http-error.ts'
import { checker } from './check.ts'
import type { Finding, ImportingTool } from './draft.ts'
import { planOf, roomFor, type Step } from './plan.ts'
import { readFile } from './read.ts'

type Told = { tool: string | null }

/** Brings entries from a file: all of it, or nothing, in one transaction. */
export function importer(context: Context, tools: readonly ImportingTool[]) {
  const check = checker(context)

  return async ({ insistStill, ...by }: Acting, { dry, skip, ...file }: SentFile): Promise<Imported<Told>> => {
    const read = await readOrRefuse(file.bytes, (text) => readFile(text, file.type, tools), { tool: null })
    if (!('found' in read)) return read
    const findings = read.found
    const { q } = context.db
    const plan = await planOf(context, q, by.user, findings)
    const steps = await check(by.user, plan, await roomFor(context, q, by.user))
    const report = reportOf(steps, ({ tool }) => ({ tool }))
    if (dry) return { report }
    if (report.refused.length > 0 && !skip) return refusal(steps, report)
    // Looking up hosts takes time.
    await insistStill()
    await carryOut(context, by, findings, steps)
    return { report }
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
