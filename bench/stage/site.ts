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

/** The HTTP server with the built page, an open route and a guarded one that answer alike. `work` starts the worker. */
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
  async signIn(userId: string) {
    const { cookie } = await startSession(context, auth, { id: userId })
    const [[name, value]] = Object.entries(cookie) as [[string, string]]
    return { name, value: encodeURIComponent(value) }
  },
  usage,
  work: () => worker.start(),
  /** The 99th percentile of the event loop delay since the last call, in milliseconds. */
  loop() {
    const p99 = loop.percentile(99) / 1e6
    loop.reset()
    return { p99 }
  },
  /** The longest pause of the event loop since the last call, in milliseconds. */
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
