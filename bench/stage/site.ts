import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import * as z from 'zod/mini'
import { createApp, createWorker, isPage } from '../../src/app.ts'
import { migrate } from '../../src/migrations.ts'
import { guard, open } from '../../src/platform/http/access/guard.ts'
import { serveApp } from '../../src/platform/http/page/static.ts'
import { preloadHintsOf } from '../../src/preload-hints.ts'
import { createAuth } from '../../src/sign-in/better-auth.ts'
import { startSession } from '../../test/support/people.ts'
import { openContext } from './context.ts'
import { usage } from './measure.ts'
import { serve } from './process.ts'

/** The program's HTTP side, with the built page and two routes that answer the same to anybody and to members. Its due work waits until it is asked for. */
const { context, close } = openContext()
await migrate(context.db)
const auth = await createAuth(context)
const app = await createApp(context, auth)
const schema = { response: { 200: z.object({ status: z.string(), at: z.int() }) } }
const answer = () => ({ status: 'fine', at: 1_700_000_000_000 })
app.get('/api/v1/bench/open', { ...open('read'), schema }, answer)
app.get('/api/v1/bench/guarded', { ...guard('Tools', 1, 'read'), schema }, answer)
await serveApp(app, { folder: join(import.meta.dirname, '..', '..', 'dist'), isPage, preloadHintsOf })
await app.listen({ port: context.config.port, host: '127.0.0.1' })

const worker = createWorker(context)
const loop = monitorEventLoopDelay({ resolution: 1 })
loop.enable()

const api = {
  /** A session of this user, as its cookie's name and value. */
  async signIn(userId: string) {
    const { cookie } = await startSession(context, auth, { id: userId })
    const [[name, value]] = Object.entries(cookie) as [[string, string]]
    return { name, value: encodeURIComponent(value) }
  },
  usage,
  /** Does the due work, too. */
  work: () => worker.start(),
  /** How long the event loop stood still at most in 99 of 100 turns since this was last asked, in milliseconds. */
  loop() {
    const p99 = loop.percentile(99) / 1e6
    loop.reset()
    return { p99 }
  },
  /** The longest time the event loop stood still since this was last asked, in milliseconds. */
  async longestPause() {
    const longest = loop.max / 1e6
    loop.reset()
    return longest
  },
  async stop() {
    await worker.stop()
    await app.close()
    await close()
  },
}
export type Site = typeof api

serve(api)
