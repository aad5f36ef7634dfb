import type { Context } from '../../platform/context.ts'
import { actingIn } from '../../platform/http/access/actor.ts'
import { guard, insistOnProof } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { importRoute } from '../../platform/imports/route.ts'
import { proveIt } from '../apply-patch.ts'
import type { EditContext } from '../edit.ts'
import { importUsers } from './import.ts'
import { ImportUsersReport, importUsersPath, largestFile, RefusedUsersImport } from './read.ts'

/** The call that creates and changes users as a table says. */
export function importUsersRoute(app: App, context: EditContext & Pick<Context, 'log' | 'importTurns'>): void {
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
  importRoute(app, context, call, (request, file) =>
    importUsers(context, actingIn(request), { ...file, insist: () => insistOnProof(request) }),
  )
}
