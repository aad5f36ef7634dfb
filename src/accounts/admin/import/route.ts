import type { FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import type { Context } from '../../../platform/context.ts'
import { actingIn } from '../../../platform/http/access/actor.ts'
import { guard, insistOnProof } from '../../../platform/http/access/guard.ts'
import type { App } from '../../../platform/http/app.ts'
import { importIsRunning, importTurns } from '../../../platform/http/import-turns.ts'
import { HttpError } from '../../../shared/http-error.ts'
import type { EditContext } from '../edit.ts'
import { proveIt } from '../proof.ts'
import { ImportUsersQuery, ImportUsersReport, importUsersPath, largestFile, RefusedUsersImport } from './contract.ts'
import { importUsers } from './import.ts'

const fileTypes = ['text/csv', 'text/plain']
const notTable = 'Send the body as text/csv.'

/** The call that creates and changes users as a table says, whose bytes it takes as they are. */
export function importUsersRoute(app: App, context: EditContext & Pick<Context, 'log' | 'elapsed'>): void {
  const { onRequest, inTurn } = importTurns(context.elapsed)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(fileTypes, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.addContentTypeParser('*', (_request, _body, done) => done(new HttpError(415, notTable)))
    scope.withTypeProvider<ZodTypeProvider>().post(
      importUsersPath,
      {
        ...guard('Admin', 2),
        bodyLimit: largestFile,
        onRequest,
        schema: {
          tags: ['Users'],
          summary: 'Import users from a table',
          failures: {
            400: '1 line is refused, so nothing was imported.',
            403: proveIt,
            413: 'The body is too large.',
            415: notTable,
            429: importIsRunning,
          },
          description: [
            'The body is a table whose first line names its columns: email, name, username, roles (such as “Admin 2,',
            'Tools 1”; or tools and admin with a level each), tags and status. Cells that are empty leave what is there. An',
            'email that is in use changes its user. With refused lines the answer is a 400 with the report, unless `skip`',
            'leaves them out. `dry` only reports.',
          ].join(' '),
          consumes: fileTypes,
          querystring: ImportUsersQuery,
          // Whatever it is, it is read as bytes.
          body: z.unknown(),
          response: { 200: ImportUsersReport, 400: RefusedUsersImport },
        },
      },
      async (request, reply) => {
        const { dry, skip } = request.query
        const insist = () => insistOnProof(request)
        const asked = { bytes: bytesOf(request), dry: dry === 'true', skip: skip === 'true', insist }
        const { report, error } = await inTurn(request, () => importUsers(context, actingIn(request), asked))
        return error === undefined ? report : reply.code(400).send({ error, ...report })
      },
    )
  })
}

const bytesOf = ({ body }: FastifyRequest): Uint8Array => (body instanceof Uint8Array ? body : new Uint8Array())
