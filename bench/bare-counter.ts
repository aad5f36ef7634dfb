import { createServer } from 'node:http'
import { CompiledQuery } from 'kysely'
import { groupCommit } from '../src/server/db/group-commit.ts'
import { openKit } from './kit.ts'
import { listen } from './listen.ts'
import { serve } from './process.ts'

/**
 * The least a server can do that loses no view: adds to one number a tag, in groups, and answers the same bytes with the
 * number in a header once it is on disk. It reads no option, knows no source and no day, and draws nothing.
 */
const { kit, close } = openKit()
const { db } = kit
const listed =
  db.kind === 'sqlite'
    ? 'select key, value from json_each(?1) where true'
    : 'select * from unnest($1::text[], $2::bigint[]) as seen (tag, views)'
await db.q.executeQuery(
  CompiledQuery.raw('create table if not exists counted (tag text primary key, views bigint not null)'),
)
const statement = {
  name: 'count',
  text: `insert into counted (tag, views) ${listed}
    on conflict (tag) do update set views = counted.views + excluded.views returning tag, views`,
}
type Total = { tag: string; views: number }

const { add } = groupCommit<string, number>(db, {
  most: 1_000,
  write: async (group) => {
    const seen = new Map<string, number>()
    for (const tag of group) seen.set(tag, (seen.get(tag) ?? 0) + 1)
    const values =
      db.kind === 'sqlite' ? [JSON.stringify(Object.fromEntries(seen))] : [[...seen.keys()], [...seen.values()]]
    const rows = await db.run<Total>(statement, values)
    const next = new Map(rows.map(({ tag, views }) => [tag, views - seen.get(tag)!]))
    return group.map((tag) => {
      const number = next.get(tag)! + 1
      next.set(tag, number)
      return number
    })
  },
})

let answer: { headers: Record<string, string>; body: string } = { headers: {}, body: '' }
const server = createServer(async ({ url = '' }, response) => {
  const views = await add(url.slice(url.lastIndexOf('/') + 1))
  response.writeHead(200, { ...answer.headers, 'x-views': String(views) })
  response.end(answer.body)
})

const api = {
  listen: () => listen(server),
  answer: (given: typeof answer) => {
    answer = given
  },
  async stop() {
    server.closeAllConnections()
    await close()
  },
}
export type BareCounter = typeof api

serve(api)
