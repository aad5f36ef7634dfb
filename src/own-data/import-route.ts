import type { FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import type { AnyEntryToolServer } from '../entries/tool-server.ts'
import type { Context } from '../platform/context.ts'
import { actingIn } from '../platform/http/access/actor.ts'
import { guard } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { importIsRunning, importTurns } from '../platform/http/import-turns.ts'
import { ImportQuery, ImportReport, importPath, largestFile, RefusedImport } from './contract.ts'
import { takesImports } from './import/draft.ts'
import { importer } from './import/import.ts'
import { fileTypes } from './import/read.ts'

/** The call that brings entries from a file, whose bytes it takes as they are. */
export function importRoute(app: App, context: Context, tools: readonly AnyEntryToolServer[]): void {
  const bring = importer(context, tools.filter(takesImports))
  const { onRequest, inTurn } = importTurns(context.elapsed)

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser([...fileTypes], { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.withTypeProvider<ZodTypeProvider>().post(
      importPath,
      {
        ...guard('Tools', 1),
        bodyLimit: largestFile,
        onRequest,
        schema: {
          tags: ['Your account'],
          summary: 'Import entries from a file',
          failures: {
            400: '1 line is refused, so nothing was imported.',
            409: 'Your entries were changed in the meantime. Try again.',
            413: 'The body is too large.',
            415: 'Send the body as application/json.',
            429: importIsRunning,
          },
          description: [
            "The body is ToolBox's own file or one of Uptime Kuma (application/json), a table whose first line names its",
            'columns (text/csv), or a list of URLs (text/plain), at most 20 MB. All of it is imported or nothing: with',
            'refused lines the answer is a 400 with the report, unless `skip` leaves them out. `dry` only reports.',
          ].join(' '),
          consumes: [...fileTypes],
          querystring: ImportQuery,
          // Whatever it is, it is read as bytes.
          body: z.unknown(),
          response: { 200: ImportReport, 400: RefusedImport, 429: RefusedImport },
        },
      },
      async (request, reply) => {
        const { dry, skip } = request.query
        const file = { bytes: bytesOf(request), type: typeOf(request) }
        const asked = { ...file, dry: dry === 'true', skip: skip === 'true' }
        const { report, error, wait } = await inTurn(request, () => bring(actingIn(request), asked))
        if (error === undefined) return report
        if (wait === undefined) return reply.code(400).send({ error, ...report })
        return reply
          .code(429)
          .header('retry-after', String(Math.ceil(wait)))
          .send({ error, ...report })
      },
    )
  })
}

const bytesOf = ({ body }: FastifyRequest): Uint8Array => (body instanceof Uint8Array ? body : new Uint8Array())
const typeOf = ({ headers }: FastifyRequest): string =>
  String(headers['content-type'] ?? 'text/plain')
    .replace(/;.*$/, '')
    .trim()
    .toLowerCase()
