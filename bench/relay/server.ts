import * as z from 'zod/mini'
import { createApp, createWorker } from '../../src/app.ts'
import { createEntry } from '../../src/entries/edit/edit.ts'
import { migrate } from '../../src/migrations.ts'
import { createUser } from '../../src/people/store.ts'
import { Active } from '../../src/shared/user.ts'
import { createAuth } from '../../src/sign-in/better-auth.ts'
import { server as relay } from '../../src/tools/herokudiscordwebhook/server.ts'
import { openContext } from '../stage/context.ts'
import { usage } from '../stage/measure.ts'
import { serve } from '../stage/process.ts'

/** The whole server without the web page; the worker starts only when `work` is called. */
const { context, close } = openContext()
await migrate(context.db)
const app = await createApp(context, await createAuth(context))
const work = createWorker(context)
await app.listen({ port: context.config.port, host: '127.0.0.1' })

const Kept = z.object({ token: z.string() })
const person = { name: 'Ada', email: 'ada@example.com', emailVerified: true, roles: { Admin: 0, Tools: 2 } } as const

const api = {
  /** Creates a relay for each of these webhooks; returns the paths that Heroku posts to. */
  async lead({ webhooks, secret }: { webhooks: readonly string[]; secret: string }): Promise<string[]> {
    const id = await createUser(context.db, context.db.q, person, context.now())
    const user = { ...person, id, status: Active, tags: [], credUsername: null }
    const by = { user, actor: { id, name: user.email, address: null, device: null } }
    const options = {
      secret,
      filter: { preset: 'everything' },
      showActor: false,
      mentionRole: null,
      threadId: null,
      card: false,
    }
    for (const discordHook of webhooks) await createEntry(context, relay, by, { ...options, discordHook })
    const rows = await context.db.q.selectFrom('entry').select('settings').execute()
    return rows.map(({ settings }) => `/hooks/heroku/${context.secrets.open(Kept.parse(JSON.parse(settings)).token)}`)
  },
  work: () => work.start(),
  usage,
  async stop() {
    await work.stop()
    await app.close()
    await close()
  },
}
export type RelayServer = typeof api

serve(api)
