import { createWorker } from '../src/app.ts'
import { openKit } from './kit.ts'
import { usage } from './measure.ts'
import { serve } from './process.ts'

/** The program's due work; only the HTTP side is left out. */
const { kit, close } = openKit()
const work = createWorker(kit)

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
