import * as z from 'zod/mini'
import type { OwnPart } from '../entries/tool-server.ts'
import { Shown } from './contract.ts'
import { statusPageOf } from './store.ts'

const Page = z.object({
  slug: z.string(),
  title: z.string(),
  text: z.string(),
  entries: z.array(Shown),
  updatedAt: z.int(),
})

/** A status page, in the file of its owner's data and when they leave. */
export const ownStatusPage: OwnPart = {
  name: 'statusPage',
  Shape: z.nullable(Page),
  read: async (userId, { db }) => (await statusPageOf(db.q, userId)) ?? null,
  farewell: async (userId, { db }) =>
    (await statusPageOf(db.q, userId)) ? 'Your status page goes offline.' : undefined,
}
