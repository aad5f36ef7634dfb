import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import type { PageToolServer } from '../../entries/tool-server.ts'
import type { Context } from '../../platform/context.ts'
import { keyFor } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/open.ts'
import { anonymous, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { type FastAnswer, type FastCall, fastPath } from '../../platform/http/connection/fast-path.ts'
import { HttpError } from '../../shared/http-error.ts'
import type { Instant } from '../../shared/time.ts'
import { type AnalyticsbadgeConfig, analyticsbadgeVariables } from './config.ts'
import { analyticsbadge, BadgeStats, Tag, ViewsToday } from './contract.ts'
import { viewCounter, viewLedger } from './counting/counter.ts'
import type { Views } from './counting/ledger.ts'
import { dropOldSources } from './counting/new-tags.ts'
import { dropForgotten } from './forgotten.ts'
import { badges } from './migrations/0004-badges.ts'
import { badgeJournal } from './migrations/0008-badge-journal.ts'
import { unreadableViews } from './migrations/0011-unreadable-views.ts'
import { newTags } from './migrations/0025-new-tags.ts'
import { type Options, readOptions, readTag, wrongTag } from './picture/options.ts'
import { badgePictures } from './picture/svg.ts'
import { dropOldDays } from './stats.ts'
import { badgePath, type Source, todayPath } from './terms.ts'

/** No cache may keep a copy, and scripts of any site may read the two headers. */
const headers = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'cache-control': 'max-age=0, no-cache, no-store, must-revalidate',
  pragma: 'no-cache',
  expires: '0',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Views, X-Lastview',
}

const never: Views = { views: 0, lastView: undefined }

const Params = z.object({ tag: Tag })
const Query = z.object({
  text: z.optional(z.string()),
  style: z.optional(z.string()),
  color: z.optional(z.string()),
  labelColor: z.optional(z.string()),
  abbreviated: z.optional(z.string()),
})

export const server = {
  contract: analyticsbadge,
  variables: analyticsbadgeVariables,
  migrations: {
    '0004-badges': badges,
    '0008-badge-journal': badgeJournal,
    '0011-unreadable-views': unreadableViews,
    '0025-new-tags': newTags,
  },
  readableUrl,
  async cleanUp({ db, now }: Pick<Context, 'db' | 'now'>) {
    await dropOldDays({ db, now })
    await dropOldSources(db, now())
    await dropForgotten(db, now())
  },
  beforeExport: (db: Db) => viewLedger(db).checkpoint(),
  routes(app: App, context: Context<AnalyticsbadgeConfig>) {
    const { db, now, config, log, health } = context
    const newTagsPerHour = config.badgeNewTagsPerHour
    const complain = (error: unknown) => log.error({ err: error }, 'Badge views are not being counted')
    const counter = viewCounter(db, {
      now,
      newTagsPerHour,
      keyOf: networkKeys(config.appSecret),
      watch: health.watch('badges'),
      journal: {
        watch: health.watch('badges'),
        onFailed: complain,
        onUnreadable: (rows) => log.error({ rows }, 'Unreadable badge views were moved to badge_journal_unreadable'),
      },
    })
    const pictures = badgePictures()
    const isoOf = isoTexts()
    app.addHook('onClose', () => counter.drained())

    const refuse = (status: number, words: string, more?: Record<string, string>): FastAnswer => ({
      status,
      headers: { ...headers, ...more },
      body: pictures.problem(words),
    })

    /** The badge shows that the number is unknown. */
    const failed = (error: unknown): FastAnswer => {
      complain(error)
      return refuse(503, '?')
    }

    const show = ({ views, lastView }: Views, options: Options): FastAnswer => ({
      status: 200,
      headers: { ...headers, 'x-views': String(views), ...(lastView && { 'x-lastview': isoOf(lastView) }) },
      body: pictures.views(views, options),
    })

    async function answer(call: FastCall): Promise<FastAnswer> {
      const tag = readTag(call.part)
      if (typeof tag !== 'string') return refuse(400, tag.problem)
      const options = readOptions(call.url)
      if ('problem' in options) return refuse(400, options.problem)
      if (!counts(call, config.origins)) return show((await counter.look(tag)) ?? never, options)
      const counted = await counter.count(tag, sourceOf(call), call.address)
      if (counted === 'too many new tags') return refuse(429, counted, { 'retry-after': '3600' })
      return show(counted, options)
    }

    fastPath(app, {
      method: 'GET',
      prefix: badgePath,
      part: 'tag',
      schema: {
        tags: [analyticsbadge.label],
        summary: 'Count a view and return the badge as an SVG image',
        description:
          'X-Views is the total including this view, X-Lastview its time (ISO 8601). HEAD returns the same headers without counting. Errors are returned as badges.',
        params: Params,
        querystring: Query,
      },
      answer: (call) => answer(call).catch(failed),
    })

    // A URL without a tag, or with more than one, is answered with an image too.
    for (const url of [badgePath, `${badgePath}*`])
      app.get(url, { ...anonymous(), schema: { hide: true } }, (_request, reply) =>
        reply.code(400).headers(headers).send(pictures.problem(wrongTag)),
      )

    app.get(
      todayPath,
      {
        ...guard('Tools', 1),
        schema: {
          tags: [analyticsbadge.label],
          summary: "Get today's views of all badges (UTC)",
          response: { 200: ViewsToday },
        },
      },
      async () => ({ views: await counter.today() }),
    )

    app.get(
      `${badgePath}:tag/stats`,
      {
        ...anonymous(),
        schema: {
          tags: [analyticsbadge.label],
          summary: "Get a tag's views without counting one",
          description: 'Lists the days with views within the last 90 days (UTC), oldest first.',
          params: Params,
          response: { 200: BadgeStats },
        },
      },
      (request, reply) => {
        reply.headers({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
        return counter.stats(request.params.tag).catch((error: unknown) => {
          complain(error)
          throw new HttpError(503, "Statistics aren't available right now. Try again later.")
        })
      },
    )
  },
} satisfies PageToolServer<AnalyticsbadgeConfig>

/** A text for a network that nobody can turn back into it: views keep no address. */
function networkKeys(appSecret: string): (network: string) => string {
  const key = keyFor(appSecret, 'badge networks')
  return (network) => createHmac('sha256', key).update(network).digest('base64url').slice(0, 22)
}

/** Escapes a path that can't be decoded, so that a badge can say what is wrong. */
function readableUrl(url: string): string {
  if (!url.startsWith(badgePath) || !url.includes('%')) return url
  const [path = '', ...query] = url.split(/(?=\?)/)
  return isReadable(path) ? url : path.replaceAll('%', '%25') + query.join('')
}

function isReadable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/** Instants as ISO 8601; views counted together share one. */
function isoTexts() {
  let last = { at: 0, text: '' }
  return (at: Instant): string => {
    if (last.at !== at) last = { at, text: new Date(at).toISOString() }
    return last.text
  }
}

/** HEAD requests and our own preview don't count. */
const counts = (call: FastCall, origins: readonly string[]): boolean =>
  call.method === 'GET' && !isPreview(call, origins)

/** Over plain HTTP browsers don't send Sec-Fetch-Site, but they send our own pages as the referrer. */
function isPreview({ headers }: FastCall, origins: readonly string[]): boolean {
  const { 'sec-fetch-site': site, referer } = headers
  if (site !== undefined) return site === 'same-origin'
  return referer !== undefined && origins.some((origin) => referer.startsWith(`${origin}/`))
}

const sourceOf = ({ headers }: FastCall): Source =>
  headers['user-agent']?.toLowerCase().startsWith('github-camo') ? 'camo' : 'other'
