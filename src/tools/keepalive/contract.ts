import * as z from 'zod/mini'
import { entryContract } from '../../entries/contract.ts'
import { Quiet } from '../../shared/quiet.ts'
import { WebUrl } from '../../shared/web-url.ts'
import { keepaliveTool } from './tool.ts'

const wrong = { error: 'Enter whole minutes from 1 to 10080 (7 days), or leave it empty for the default.' }

export const keepalive = entryContract({
  names: keepaliveTool,
  settings: {
    url: WebUrl,
    /** Whole minutes from the start of a ping to the start of the next; null is the configured default. */
    interval: z.nullable(z.int(wrong).check(z.minimum(1, wrong), z.maximum(10_080, wrong))),
    /** Hours in which no turn runs; null for none. */
    quiet: z.nullable(Quiet),
  },
  defaults: { interval: null, quiet: null },
  added: {},
})
