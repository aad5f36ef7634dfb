import { createServer } from 'node:http'
import { CompiledQuery } from 'kysely'
import { groupCommit } from '../../src/platform/db/group-commit.ts'
import { prepare } from '../../src/platform/db/look-up.ts'
import { isSigned } from '../../src/tools/herokudiscordwebhook/hook.ts'
import { openContext } from '../stage/context.ts'
import { listen } from '../stage/listen.ts'
import { usage } from '../stage/measure.ts'
import { serve } from '../stage/process.ts'
import { secret } from './posts.ts'

/** The minimal lossless receiver: checks signature and JSON, answers once on disk, and doesn't redact or deliver. */
const { context, close } = openContext()
const { db } = context
const number = db.kind === 'sqlite' ? 'integer primary key' : 'bigserial primary key'
await db.q.executeQuery(CompiledQuery.raw(`create table if not exists kept (id ${number}, body text not null)`))

// The shortest statement for each dialect, prepared once.
const keep = {
  sqlite: 'insert into kept (body) select value from json_each(?1)',
  postgres: 'insert into kept (body) select unnest($1::text[])',
}[db.kind]
const { add } = groupCommit<string, boolean>(db, {
  most: 200,
  write: async (bodies) => {
    const values = [db.kind === 'sqlite' ? JSON.stringify(bodies) : bodies]
    await db.q.executeQuery(prepare(CompiledQuery.raw(keep, values)))
    return bodies.map(() => true)
  },
})

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', async () => {
    const body = Buffer.concat(chunks)
    const isOurs = isSigned([secret], body, String(request.headers['heroku-webhook-hmac-sha256']))
    if (!isOurs) return response.writeHead(401).end()
    await add(JSON.stringify(JSON.parse(body.toString())))
    return response.writeHead(204).end()
  })
})

const api = {
  listen: () => listen(server),
  usage,
  async stop() {
    server.closeAllConnections()
    await close()
  },
}
export type BareKeeper = typeof api

serve(api)
