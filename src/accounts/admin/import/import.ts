import { actOnEach } from '../../../platform/act-on-each.ts'
import type { Context } from '../../../platform/context.ts'
import type { Acting } from '../../../platform/http/access/actor.ts'
import { Unreadable } from '../../../platform/table-file/unreadable.ts'
import { addUser, changeUser, type EditContext } from '../edit.ts'
import type { ImportUsersReport } from './contract.ts'
import { planOf, type Step } from './plan.ts'
import { readUsers } from './read.ts'

type ImportContext = EditContext & Pick<Context, 'log'>
/** What came of it, and why nothing was imported. */
type Imported = { report: ImportUsersReport; error?: string }

const none = { created: 0, changed: 0, same: 0 }

/**
 * Creates and changes users as a table says, each as the call for a single one does. Without `skip` nothing is written if
 * any row is refused; `dry` writes nothing at all, and `insist` throws if the caller may not write.
 */
export async function importUsers(
  context: ImportContext,
  acting: Acting,
  { bytes, dry, skip, insist }: { bytes: Uint8Array; dry: boolean; skip: boolean; insist: () => void },
): Promise<Imported> {
  let steps: Step[]
  try {
    steps = await planOf(context.db, acting.user.id, readUsers(bytes))
  } catch (error) {
    if (error instanceof Unreadable) return unreadable(error)
    throw error
  }
  const report = reportOf(steps)
  if (dry) return { report }
  if (report.refused.length > 0 && !skip) return refusal(report)
  insist()
  return { report: reportOf(await carryOut(context, acting, steps)) }
}

function unreadable({ line, message: why }: Unreadable): Imported {
  const lines = [{ line, outcome: 'refused' as const, what: '', why }]
  return { report: { ...none, refused: [{ line, why }], lines }, error: `Line ${line}: ${why}` }
}

function refusal(report: ImportUsersReport): Imported {
  const [first] = report.refused
  const { length } = report.refused
  const error =
    length === 1 && first ? `Line ${first.line}: ${first.why}` : `${length} lines are refused, so nothing was imported.`
  const lines = report.lines.filter(({ outcome }) => outcome === 'refused')
  return { report: { ...report, ...none, lines }, error }
}

function reportOf(steps: readonly Step[]): ImportUsersReport {
  const count = (outcome: Step['outcome']) => steps.filter((step) => step.outcome === outcome).length
  return {
    created: count('created'),
    changed: count('changed'),
    same: count('same'),
    refused: steps.flatMap((step) => (step.outcome === 'refused' ? [{ line: step.line, why: step.why }] : [])),
    lines: steps.map(({ line, outcome, what, ...more }) => {
      const why = 'why' in more ? more.why : undefined
      return { line, outcome, what, ...(why !== undefined && { why }) }
    }),
  }
}

/** Writes row by row, so that nobody waits for all of them; a row that is refused by now says so. */
async function carryOut(
  context: ImportContext,
  { actor, insistStill }: Acting,
  steps: readonly Step[],
): Promise<Step[]> {
  const written = steps.filter(({ outcome }) => outcome === 'created' || outcome === 'changed')
  const byLine = new Map(written.map((step) => [String(step.line), step]))
  const { refused, unchanged } = await actOnEach(context, insistStill, [...byLine.keys()], async (line) => {
    const step = byLine.get(line)
    if (step?.outcome === 'created') await addUser(context, actor, step.body)
    if (step?.outcome !== 'changed') return undefined
    return { unchanged: (await changeUser(context, actor, step.body, () => {})) === 'same' }
  })
  const whys = new Map(refused.map(({ id, why }) => [id, why]))
  return steps.map((step) => {
    const { line, what } = step
    const why = whys.get(String(line))
    if (why !== undefined) return { line, what, outcome: 'refused', why }
    return unchanged.includes(String(line)) ? { line, what, outcome: 'same' } : step
  })
}
