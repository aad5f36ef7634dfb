import type { AnyEntryToolServer } from '../entries/tool-server.ts'
import type { Context } from '../platform/context.ts'
import { actingIn } from '../platform/http/access/actor.ts'
import { guard } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { importRoute } from '../platform/imports/route.ts'
import { ImportReport, importPath, largestFile, RefusedImport } from './contract.ts'
import { takesImports } from './import/draft.ts'
import { importer } from './import/import.ts'
import { fileTypes } from './import/read.ts'

/** The call that brings entries from a file. */
export function importEntriesRoute(app: App, context: Context, tools: readonly AnyEntryToolServer[]): void {
  const bring = importer(context, tools.filter(takesImports))
  const call = {
    path: importPath,
    access: guard('Tools', 1),
    types: fileTypes,
    otherType: 'Send the body as application/json.',
    most: largestFile,
    tags: ['Your account'],
    summary: 'Import entries from a file',
    description: [
      "The body is ToolBox's own file or one of Uptime Kuma (application/json), a table whose first line names its",
      'columns (text/csv), or a list of URLs (text/plain), at most 20 MB. All of it is imported or nothing: with',
      'refused lines the answer is a 400 with the report, unless `skip` leaves them out. `dry` only reports.',
    ].join(' '),
    failures: { 409: 'Your entries were changed in the meantime. Try again.' },
    Report: ImportReport,
    Refused: RefusedImport,
  }
  importRoute(app, context, call, (request, file) => bring(actingIn(request), file))
}
