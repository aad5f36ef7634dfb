import { actOnEach } from '../../platform/act-on-each.ts'
import type { Context } from '../../platform/context.ts'
import type { Acting } from '../../platform/http/access/actor.ts'
import { type Imported, readOrRefuse, refusal, reportOf } from '../../platform/imports/report.ts'
import type { SentFile } from '../../platform/imports/route.ts'
import { addUser, changeUser, type EditContext } from '../edit.ts'
import { planOf, type Step } from './plan.ts'
import { readUsers } from './read.ts'

type ImportContext = EditContext & Pick<Context, 'log'>
/**
 * Creates and changes users as a table says, each as the call for a single one does. Without `skip` nothing is written if
 * any row is refused; `dry` writes nothing at all, and `insist` throws if the caller may not write.
 */
export async function importUsers(
  context: ImportContext,
  acting: Acting,
  { bytes, dry, skip, insist }: SentFile & { insist: () => void },
): Promise<Imported> {
  const read = await readOrRefuse(bytes, readUsers, {})
  if (!('found' in read)) return read
  const steps = await planOf(context.db, acting.user.id, read.found)
  const report = reportOf(steps, () => ({}))
  if (dry) return { report }
  if (report.refused.length > 0 && !skip) return refusal(steps, report)
  insist()
  return { report: reportOf(await carryOut(context, acting, steps), () => ({})) }
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
