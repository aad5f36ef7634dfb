import * as z from 'zod/mini'
import { anonymous } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { contentOf } from '../../platform/http/description/content.ts'
import { eventStreams } from '../../platform/live/event-streams.ts'
import { isThisMachine, networksOf } from '../../platform/net/networks.ts'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { analyticsbadge } from './contract.ts'
import { mostWatched, watchPath } from './terms.ts'

/** Limits per instance: all open streams, all watched tags, streams of one network, and streams of this machine. */
const most = { all: 500, tags: 5_000, network: 4, machine: 20 }

const WatchQuery = z.object({
  tags: z.string().check(
    z.regex(/^[A-Za-z0-9_]{1,64}(?:,[A-Za-z0-9_]{1,64})*$/, 'Enter tags, separated by commas.'),
    z.refine((text) => text.split(',').length <= mostWatched, `Watch at most ${mostWatched} tags.`),
  ),
})

/** `GET /api/v1/badges/events`: streams the numbers that tags show, without requiring sign-in. */
export function watchRoute(app: App, figuresOf: (tags: readonly string[]) => Promise<Figures>): void {
  const { watch } = tagWatch(figuresOf)
  const start = eventStreams(app, { maxUnread: 65_536 })
  const open = new Set<{ network: string; tags: number }>()

  app.get(
    watchPath,
    {
      ...anonymous(),
      exposeHeadRoute: false,
      schema: {
        tags: [analyticsbadge.label],
        summary: 'Stream the views of tags (server-sent events)',
        failures: [429],
        description: `Each \`views\` event maps the tags that have changed to their numbers; the first one contains all tags. Up to ${mostWatched} tags.`,
        querystring: WatchQuery,
        response: { 200: contentOf('text/event-stream', 'The stream.') },
      },
    },
    (request, reply) => {
      const network = networksOf(request.ip)[0]
      const mostOfNetwork = isThisMachine(request.ip) ? most.machine : most.network
      const tags = [...new Set(request.query.tags.split(','))]
      const watched = [...open].reduce((sum, screen) => sum + screen.tags, tags.length)
      const ofNetwork = [...open].filter((screen) => screen.network === network)
      if (open.size >= most.all || watched > most.tags || ofNetwork.length >= mostOfNetwork)
        throw new HttpError(429, 'Too many screens are open. Close some of them.', { retryAfter: 60 })
      const screen = { network, tags: tags.length }
      open.add(screen)
      const stream = start(request, reply)
      const unwatch = watch(tags, (figures) => stream.write(`event: views\ndata: ${JSON.stringify(figures)}\n\n`))
      stream.onClose(() => {
        unwatch()
        open.delete(screen)
      })
      return reply
    },
  )
}

/** The number that each tag shows; tags without views may be missing. */
type Figures = ReadonlyMap<string, number>
type Watcher = {
  tags: readonly string[]
  seen: Map<string, number>
  onChanged: (figures: Record<string, number>) => void
}

/** Half of the delay allowed for a screen; the other half is for the screen's own request. */
const pollInterval: Milliseconds = seconds(0.5)

/** Polls all watched tags together, because on a shared database any instance may have counted a view. */
export function tagWatch(figuresOf: (tags: readonly string[]) => Promise<Figures>, every = pollInterval) {
  const watchers = new Set<Watcher>()
  let isPolling = false

  async function pollLoop(): Promise<void> {
    isPolling = true
    while (watchers.size > 0) {
      await poll().catch(() => {})
      await new Promise((next) => setTimeout(next, every).unref())
    }
    isPolling = false
  }

  async function poll() {
    const currentWatchers = [...watchers]
    const figures = await figuresOf([...new Set(currentWatchers.flatMap(({ tags }) => tags))])
    for (const { tags, seen, onChanged } of currentWatchers) {
      const changed = tags.flatMap((tag) => {
        const now = figures.get(tag) ?? 0
        return seen.get(tag) === now ? [] : [[tag, now] as const]
      })
      for (const [tag, now] of changed) seen.set(tag, now)
      if (changed.length > 0) onChanged(Object.fromEntries(changed))
    }
  }

  return {
    watch(tags: readonly string[], onChanged: Watcher['onChanged']): () => void {
      const watcher = { tags, seen: new Map(), onChanged }
      watchers.add(watcher)
      if (!isPolling) void pollLoop()
      return () => void watchers.delete(watcher)
    },
  }
}
