import { sql } from 'kysely'
import { createApp, createWorker } from '../../src/app.ts'
import { migrate } from '../../src/migrations.ts'
import { recountSql } from '../../src/platform/db/migrations/counter-triggers.ts'
import type { Instant, Milliseconds } from '../../src/shared/time.ts'
import { createAuth } from '../../src/sign-in/better-auth.ts'
import { relayVolumes } from '../../src/tools/herokudiscordwebhook/migrations.ts'
import { createPerson } from '../../test/support/people.ts'
import { openContext } from '../stage/context.ts'
import { serve } from '../stage/process.ts'
import { insertEntries, planTurns, type SeededEntry } from '../stage/seed.ts'
import { redirectToLoopback, resolve } from './internet.ts'

/** The whole server at work, without the web page. */
redirectToLoopback()
const { context } = openContext(resolve)
await migrate(context.db)
const app = await createApp(context, await createAuth(context))
const work = createWorker(context)
await app.listen({ port: context.config.port, host: '127.0.0.1' })
await work.start()

const api = {
  async people(usernames: readonly string[]): Promise<string[]> {
    const ids: string[] = []
    for (const username of usernames) ids.push((await createPerson(context, { username })).id)
    return ids
  },
  /** Creates entries, each due `spacing` ms after the one before; returns their ids. */
  async seed({ entries, from, spacing }: { entries: readonly SeededEntry[]; from: Instant; spacing: Milliseconds }) {
    const ids = await insertEntries(context.db, entries)
    await planTurns(context.db, ids, from, spacing, 'beside others')
    context.jobs.wake()
    return ids
  },
  async park(count: number) {
    await sql`with recursive numbers as (select 1 as i union all select i + 1 from numbers where i < ${count})
      insert into relay_event (id, entry_id, event_id, event_key, resource, action, state, received_at, payload)
      select 'parked' || i, entry_id, i, i, '', '', 'held', 0, '{}' from numbers, relay`.execute(context.db.q)
    await sql.raw(recountSql(relayVolumes)).execute(context.db.q)
  },
}
export type AttackedServer = typeof api

serve(api)
