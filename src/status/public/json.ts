import * as z from 'zod/mini'
import { PublicState } from '../../entries/badges/public-state.ts'
import type { PublicPage } from './load.ts'
import { verdictOf } from './words.ts'

/** A status page for programs. Times are epoch milliseconds. */
export const PublicJson = z.object({
  title: z.string(),
  text: z.string(),
  url: z.string(),
  /** The worst that any entry is. */
  state: PublicState,
  page: z.int(),
  pages: z.int(),
  total: z.int(),
  /** The last day (UTC) of `days`. */
  today: z.string(),
  entries: z.array(
    z.object({
      name: z.string(),
      state: PublicState,
      url: z.optional(z.string()),
      /** 0–1 over 90 days; null without checks. */
      uptime: z.nullable(z.number()),
      /** The same of each of these days, the oldest first. */
      days: z.array(z.nullable(z.number())),
    }),
  ),
  /** Of all entries: those that go on, and the last ones that are over. */
  incidents: z.array(
    z.object({ name: z.string(), cause: z.string(), openedAt: z.int(), closedAt: z.nullable(z.int()) }),
  ),
})

export const jsonOf = (page: PublicPage, root: string): string =>
  JSON.stringify(
    PublicJson.parse({
      ...page,
      url: root,
      state: verdictOf(page).state,
      total: page.count,
      incidents: [...page.open, ...page.past],
    }),
  )
