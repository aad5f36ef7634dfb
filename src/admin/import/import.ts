import { actOnEach } from '../../platform/act-on-each.ts'
import type { Context } from '../../platform/context.ts'
import { type Acting, actingIn } from '../../platform/http/access/actor.ts'
import { guard, insistOnProof } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { importFile } from '../../platform/imports/import-file.ts'
import { importRoute } from '../../platform/imports/route.ts'
import { proveIt } from '../apply-patch.ts'
import { addUser, changeUser, type EditContext } from '../edit.ts'
import { planOf, type Step } from './plan.ts'
import { ImportUsersReport, importUsersPath, largestFile, RefusedUsersImport, readUsers } from './read.ts'

type ImportContext = EditContext & Pick<Context, 'log' | 'importTurns'>

/** The call that creates and changes users as a table says, each as the call for a single one does. */
export function importUsersRoute(app: App, context: ImportContext): void {
  const call = {
    path: importUsersPath,
    access: guard('Admin', 2, 'never'),
    types: ['text/csv', 'text/plain'],
    otherType: 'Send the body as text/csv.',
    most: largestFile,
    tags: ['Users'],
    summary: 'Import users from a table',
    description: [
      'The body is a table whose first line names its columns: email, name, username, roles (such as “Admin 2,',
      'Tools 1”; or tools and admin with a level each), tags and status. Cells that are empty leave what is there. An',
      'email that is in use changes its user. With refused lines the answer is a 400 with the report, unless `skip`',
      'leaves them out. `dry` only reports.',
    ].join(' '),
    failures: { 403: proveIt },
    Answer: ImportUsersReport,
    Refused: RefusedUsersImport,
  }
  importRoute(app, context, call, (request, file) => {
    const acting = actingIn(request)
    return importFile(file, {
      read: readUsers,
      plan: (rows) => planOf(context.db, acting.user.id, rows),
      async write(steps) {
        insistOnProof(request)
        return carryOut(context, acting, steps)
      },
    })
  })
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
