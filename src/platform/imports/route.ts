import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import { HttpError } from '../../shared/http-error.ts'
import { ImportQuery } from '../../shared/schemas/import-report.ts'
import { bodyOf } from '../body.ts'
import type { App } from '../http/app.ts'
import { sendJson } from '../http/json-array.ts'
import type { ImportResult, Report, UploadedFile } from './import-file.ts'
import { pacer } from './pacer.ts'
import type { ImportTurns } from './turns.ts'

type ImportCall = {
  path: string
  access: Pick<RouteShorthandOptions, 'config'>
  types: readonly string[]
  /** The error message for other content types. */
  otherType: string
  most: number
  tags: string[]
  summary: string
  description: string
  failures: readonly number[]
  Answer: z.ZodMiniType
  Refused: z.ZodMiniType
}

/** Mounts a call that imports a file, whose bytes it reads unparsed. */
export function importRoute(
  app: App,
  { importTurns }: { importTurns: ImportTurns },
  { path, access, types, otherType, most, Answer, Refused, failures, ...words }: ImportCall,
  importFile: (request: FastifyRequest, file: UploadedFile) => Promise<ImportResult>,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser([...types], (request: FastifyRequest, body: IncomingMessage) =>
      bodyOf(body, most, importTurns.uploadOf(request)),
    )
    scope.addContentTypeParser('*', (_request, _body, done) => done(new HttpError(415, otherType)))
    scope.withTypeProvider<ZodTypeProvider>().post(
      path,
      {
        ...access,
        bodyLimit: most,
        onRequest: (request, reply) => importTurns.begin(request, reply, most),
        schema: {
          ...words,
          failures: [400, 413, 415, 429, ...failures],
          consumes: [...types],
          querystring: ImportQuery,
          body: z.unknown(),
          response: { 200: Answer, 400: Refused, 429: Refused },
        },
      },
      async (request, reply) => {
        const { dry, skip } = request.query
        const bytes =
          request.body instanceof Buffer
            ? Buffer.from(request.body.buffer, 0, request.body.length)
            : Buffer.from(new ArrayBuffer(0))
        const file = { bytes, type: typeOf(request), dry: dry === 'true', skip: skip === 'true' }
        const { report, error, wait } = await importTurns.runInTurn(request, () => importFile(request, file))
        if (wait !== undefined) reply.header('retry-after', String(Math.ceil(wait)))
        if (error !== undefined) reply.code(wait === undefined ? 400 : 429)
        return sendJson(reply, Readable.from(reportJson(report, error)))
      },
    )
  })
}

const linesAtOnce = 50

/** A report as JSON, in pieces: checking or writing thousands of lines in one go would block other requests. */
async function* reportJson({ refused, lines, ...counts }: Report, error: string | undefined): AsyncGenerator<string> {
  const pause = pacer()
  yield JSON.stringify({ error, ...counts }).slice(0, -1)
  for (const [name, list] of Object.entries({ refused, lines })) {
    yield `,"${name}":[`
    for (let from = 0; from < list.length; from += linesAtOnce) {
      await pause()
      const json = JSON.stringify(list.slice(from, from + linesAtOnce)).slice(1, -1)
      yield from === 0 ? json : `,${json}`
    }
    yield ']'
  }
  yield '}'
}

const typeOf = ({ headers }: FastifyRequest): string =>
  String(headers['content-type'] ?? 'text/plain')
    .replace(/;.*$/, '')
    .trim()
    .toLowerCase()
