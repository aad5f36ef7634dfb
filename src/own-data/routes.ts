import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import * as z from 'zod/mini'
import { deleteUser, type EditContext } from '../admin/edit.ts'
import type { AnyEntryToolServer, PersonalData } from '../entries/tool-server.ts'
import { writeAudit } from '../people/audit/log.ts'
import type { Context } from '../platform/context.ts'
import { countRows } from '../platform/db/rows/read.ts'
import { actingUserWithRecheck, actorOf } from '../platform/http/access/actor.ts'
import { callerOf, guard, open, recentProof, requireRecentProof, signedIn } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { compressHuffmanOnly } from '../platform/http/page/compress-answer.ts'
import { importRoute } from '../platform/imports/route.ts'
import {
  ExportQuery,
  ImportReport,
  importPath,
  largestFile,
  ownDataCalls,
  RefusedImport,
  type Summary,
} from './contract.ts'
import { accountParts, fileOf, fileShape, toolParts } from './export.ts'
import { createImporter, fileTypes } from './import.ts'
import { supportsImport } from './read-file.ts'

export function ownDataRoutes(
  app: App,
  context: Context & EditContext,
  { tools, own }: { tools: readonly AnyEntryToolServer[]; own: readonly PersonalData[] },
): void {
  const { db, now, config } = context
  const parts = [...accountParts(context), ...toolParts(context, tools, own)]
  const File = fileShape(parts)
  let schema: Record<string, unknown> | undefined

  const calls = { ...ownDataCalls, 'GET /api/v1/user/export': { query: ExportQuery, answer: File } } as const
  const route = routesOf(app, calls, 'Your account')
  route(
    'GET /api/v1/user/export',
    {
      ...signedIn('read'),
      onSend: compressHuffmanOnly,
      summary: 'Download all your data as one JSON file',
      failures: [403, 429],
      description: [
        'Secrets are masked unless `secrets=true`, which requires recent re-authentication. An API key gets no',
        'sessions, devices, activity, channels, keys or two-step settings. Schema: `/api/v1/user/export/schema`.',
      ].join(' '),
    },
    async (request, reply) => {
      const withSecrets = request.query.secrets === 'true'
      if (withSecrets) requireRecentProof(request)
      if (withSecrets) await writeAudit(db.q, now(), { actor: actorOf(request), action: 'data.export' })
      const caller = callerOf(request)
      return sendFile(reply, fileOf(parts, { caller, withSecrets }, { baseUrl: config.baseUrl, at: now() }))
    },
  )

  route('GET /api/v1/user/export/schema', { ...open('read'), summary: 'Get the JSON Schema of the export' }, () => {
    schema ??= { ...z.toJSONSchema(File, { io: 'input' }) }
    return schema
  })

  importEntriesRoute(app, context, tools)

  route(
    'GET /api/v1/user/summary',
    { ...signedIn('read'), summary: 'Count what would be deleted with your account' },
    (request) => summaryOf(context, callerOf(request).user.id, own),
  )

  route(
    'DELETE /api/v1/user',
    {
      ...recentProof(signedIn('never')),
      summary: 'Delete your account and everything you own',
      failures: [409],
    },
    async (request) => ({ id: await deleteUser(context, actorOf(request), { id: callerOf(request).user.id }) }),
  )
}

/** Streams the file. An error before the first piece becomes a response; a later one ends the connection. */
async function sendFile(reply: Pick<FastifyReply, 'header' | 'type' | 'send'>, file: AsyncIterable<string>) {
  const rest = file[Symbol.asyncIterator]()
  const first = await rest.next()
  const pieces = async function* () {
    if (!first.done) yield first.value
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  }
  reply.header('content-disposition', 'attachment; filename="toolbox-data.json"')
  return reply.type('application/json; charset=utf-8').send(Readable.from(pieces()))
}

async function summaryOf(
  context: Pick<Context, 'db' | 'now'>,
  userId: string,
  own: readonly PersonalData[],
): Promise<Summary> {
  const { q } = context.db
  const more = await Promise.all(own.map(async (part) => (await part.whenDeleted?.(userId, context)) ?? []))
  return {
    entries: await countRows(q.selectFrom('entry').where('owner_id', '=', userId)),
    channels: await countRows(q.selectFrom('channel').where('user_id', '=', userId)),
    sessions: await countRows(q.selectFrom('sessions').where('user_id', '=', userId)),
    apiKeys: await countRows(q.selectFrom('api_key').where('user_id', '=', userId)),
    more: more.flat(),
  }
}

function importEntriesRoute(app: App, context: Context, tools: readonly AnyEntryToolServer[]): void {
  const importEntries = createImporter(context, tools.filter(supportsImport))
  const call = {
    path: importPath,
    access: guard('Tools', 1, 'never'),
    types: fileTypes,
    otherType: 'Send the body as application/json, text/csv or text/plain.',
    most: largestFile,
    tags: ['Your account'],
    summary: 'Import entries from a file',
    description: [
      'The body is a ToolBox or Uptime Kuma export (application/json), a table whose first line names its columns',
      '(text/csv), or a list of URLs (text/plain), at most 20 MB. The import is all or nothing: if any line is',
      'refused, it returns 400 with the report, unless `skip` leaves refused lines out. `dry` returns only the report.',
    ].join(' '),
    failures: [409],
    Answer: ImportReport,
    Refused: RefusedImport,
  }
  importRoute(app, context, call, (request, file) => importEntries(actingUserWithRecheck(request), file))
}
