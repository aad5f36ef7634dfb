import { createWorker } from '../../src/app.ts'
import { openContext } from './context.ts'
import { usage } from './measure.ts'
import { serve } from './process.ts'

/** The server's worker without the HTTP server. */
const { context, close } = openContext()
const work = createWorker(context)

const api = {
  work: () => work.start(),
  usage,
  async stop() {
    await work.stop()
    await close()
  },
}
export type Subject = typeof api

serve(api)
