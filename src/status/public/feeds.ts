import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { PublicState } from '../../entries/badges/public-state.ts'
import type { Instant } from '../../shared/time.ts'
import type { PublicIncident, PublicPage } from './load.ts'
import { escaped, formatClock, formatDay, formatDuration, verdictOf } from './text.ts'

const maxEntries = 50

type FeedEntry = { id: string; at: Instant; title: string; summary: string }

// No library: `feed` brings an XML writer and its parser with it, and would save ten lines.
/** The incidents of a status page as an Atom feed (RFC 4287): one entry when each began, another when it was over. */
export function feedOf(page: PublicPage, root: string): string {
  const events = [...page.open, ...page.past]
    .flatMap(eventsOf)
    .toSorted((one, other) => other.at - one.at)
    .slice(0, maxEntries)
  const updated = Math.max(page.updatedAt, ...events.map(({ at }) => at))
  const url = escaped(root)
  const entries = events.map(({ id, at, title, summary }) =>
    [
      `<entry><id>${id}</id><title>${escaped(title)}</title><link rel="alternate" type="text/html" href="${url}"/>`,
      `<published>${iso(at)}</published><updated>${iso(at)}</updated><summary>${escaped(summary)}</summary></entry>`,
    ].join(''),
  )
  return [
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    `<id>${urn(`page ${page.id}`)}</id><title>${escaped(page.title)}</title><updated>${iso(updated)}</updated>`,
    `<link rel="self" type="application/atom+xml" href="${url}/feed.xml"/><link rel="alternate" type="text/html" href="${url}"/>`,
    `<author><name>${escaped(page.title)}</name></author><generator>ToolBox</generator>`,
    ...entries,
    '</feed>\n',
  ].join('')
}

function eventsOf({ id, name, cause, openedAt, closedAt }: PublicIncident): FeedEntry[] {
  const since = `${formatDay(openedAt)}, ${formatClock(openedAt)} UTC`
  const opened = {
    id: urn(`opened ${id}`),
    at: openedAt,
    title: `${name}: down`,
    summary: `${cause}. Since ${since}.`,
  }
  if (closedAt === null) return [opened]
  const summary = `${cause}. It lasted ${formatDuration(openedAt, closedAt)}, since ${since}.`
  return [opened, { id: urn(`closed ${id}`), at: closedAt, title: `${name}: resolved`, summary }]
}

const iso = (at: Instant): string => new Date(at).toISOString()

/** An id that is always the same for the same, and tells nothing else of it (a UUID of version 8). */
function urn(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4]
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

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
