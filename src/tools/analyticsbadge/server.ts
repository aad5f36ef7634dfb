import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { PageToolServer } from '../../entries/tool-server.ts'
import { pictureOf, problemPicture, Shield, shieldOf } from '../../platform/badge/look.ts'
import { wholeNumber } from '../../platform/config/values.ts'
import type { Context } from '../../platform/context.ts'
import { keyFor } from '../../platform/crypto/secrets.ts'
import { anonymous, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { fastPath } from '../../platform/http/connection/fast-path.ts'
import { HttpError } from '../../shared/http-error.ts'
import { badgeAnswers, headers } from './answer.ts'
import { analyticsbadge, badgeCalls, largestBase, Tag, TagParams } from './contract.ts'
import { type ViewCounter, viewCounter } from './counting/counter.ts'
import { dropOldSources } from './counting/new-tags.ts'
import { dropOldDays, dropUnusedTags } from './counting/stats.ts'
import { watchRoute } from './live.ts'
import { migrations } from './migrations.ts'
import { BadgeQuery, readOptions, wrongTag } from './options.ts'
import { ownedRoutes } from './owned.ts'
import { claimedBadges } from './owned-list.ts'
import { viewsWithin } from './periods.ts'
import { messageOf } from './svg.ts'
import { badgePath, defaultColor, defaultLabel } from './terms.ts'

const analyticsbadgeVariables = z
  .object({ BADGE_NEW_TAGS_PER_HOUR: wholeNumber(0, 1e9).prefault('10000') })
  .transform(({ BADGE_NEW_TAGS_PER_HOUR }) => ({ badgeNewTagsPerHour: BADGE_NEW_TAGS_PER_HOUR }))
type AnalyticsbadgeConfig = Readonly<z.infer<typeof analyticsbadgeVariables>>

export const server = {
  contract: analyticsbadge,
  variables: analyticsbadgeVariables,
  migrations,
  readableUrl,
  personalData: [claimedBadges],
  async cleanUp({ db, now }: Pick<Context, 'db' | 'now'>) {
    await dropOldDays({ db, now })
    await dropOldSources(db, now())
    await dropUnusedTags(db, now())
  },
  refuseRow,
  routes(app: App, context: Context<AnalyticsbadgeConfig>) {
    const { db, now, config, log, health } = context
    const limits = { newTagsPerHour: config.badgeNewTagsPerHour, keyOf: networkKeys(config.appSecret) }
    const complain = (error: unknown) => log.error({ err: error }, 'Badge views are not being counted')
    const counter = viewCounter(db, {
      now,
      ...limits,
      watch: health.watch('badges'),
    })
    const { answer, problem } = badgeAnswers({ db, now, counter, origins: config.origins, complain })
    app.addHook('onClose', () => counter.drained())

    fastPath(app, {
      method: 'GET',
      prefix: badgePath,
      part: 'tag',
      schema: {
        tags: [analyticsbadge.label],
        summary: 'Count a view and return the badge as an SVG image',
        description:
          'X-Views is the total including this view, X-Lastview its time (ISO 8601), whatever the image shows. HEAD returns the same headers without counting. Errors are returned as badges.',
        params: TagParams,
        querystring: BadgeQuery,
        response: { 200: pictureOf('The badge.'), 400: problemPicture, 429: problemPicture, 503: problemPicture },
      },
      answer,
    })

    // A URL without a tag, or with more than one segment after the prefix, also gets an image.
    for (const url of [badgePath, `${badgePath}*`])
      app.get(url, { ...anonymous(), schema: { hide: true } }, (_request, reply) =>
        reply.code(400).headers(headers).send(problem(wrongTag)),
      )

    const route = routesOf(app, badgeCalls, analyticsbadge.label)
    route(
      'GET /api/v1/badges/today',
      { ...guard('Tools', 1, 'read'), summary: "Get today's views of all badges (UTC)" },
      async () => ({ views: await counter.today() }),
    )

    route(
      'GET /api/v1/analyticsbadge/:tag/stats',
      {
        ...anonymous(),
        summary: "Get a tag's views without counting one",
        description: 'Lists the days with views within the last 90 days (UTC), oldest first.',
      },
      (request, reply) => {
        reply.headers(publicHeaders)
        return counter.stats(request.params.tag).catch((error: unknown) => {
          complain(error)
          throw new HttpError(503, "Statistics aren't available right now. Try again later.")
        })
      },
    )

    shieldsRoute(app, { ...context, counter })
    watchRoute(app, counter.figures)
    ownedRoutes(app, { ...context, limits })
  },
} satisfies PageToolServer<AnalyticsbadgeConfig>

/** Returns a function that hashes a network irreversibly, because no address may be stored. */
function networkKeys(appSecret: string): (network: string) => string {
  const key = keyFor(appSecret, 'badge networks')
  return (network) => createHmac('sha256', key).update(network).digest('base64url').slice(0, 22)
}

/** Escapes a path that can't be decoded, so that a badge can show the problem. */
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

/** `GET /api/v1/analyticsbadge/{tag}/shields`: JSON from which shields.io draws a badge. Doesn't count a view. */
function shieldsRoute(app: App, { db, now, counter }: Pick<Context, 'db' | 'now'> & { counter: ViewCounter }): void {
  app.get(
    `${badgePath}:tag/shields`,
    {
      ...anonymous(),
      schema: {
        tags: [analyticsbadge.label],
        summary: 'Get a badge as JSON for shields.io',
        description:
          'An endpoint for https://shields.io/badges/endpoint-badge. It accepts the parameters of the image and does not count a view.',
        params: TagParams,
        querystring: BadgeQuery,
        response: { 200: Shield },
      },
    },
    async (request, reply) => {
      reply.headers(publicHeaders)
      const { tag } = request.params
      const options = readOptions(request.url)
      if ('problem' in options) throw new HttpError(400, `${options.problem}.`)
      const { views, hidden = false } = (await counter.peek(tag)) ?? { views: 0 }
      const { period, label: message = defaultLabel } = options
      // Shields.io requires a message, so send the label as the message.
      if (hidden) return shieldOf({ ...options, label: '' }, { label: '', message, color: defaultColor })
      const count = period ? await viewsWithin(db, { tag, totalViews: views, period }, now()) : views
      return shieldOf(options, { label: defaultLabel, message: messageOf(count, options), color: defaultColor })
    },
  )
}

/** For responses that scripts on any site may read, and nothing may cache. */
const publicHeaders = { 'cache-control': 'no-store', 'access-control-allow-origin': '*' }

const count = { error: 'must be a whole number of at least 0' }
const Count = z.int(count).min(0, count)
const base = { error: `must be a whole number from 0 to ${largestBase}` }
const hidden = { error: 'must be 0 or 1' }

/** Validates an imported row of `badge`; its number can't be negative. */
const BadgeRow = z
  .object({
    tag: Tag,
    camo: Count,
    other: Count,
    last_view: Count,
    base: z.int(base).min(0, base).max(largestBase, base),
    reset_views: Count,
    hidden: z.union([z.literal(0), z.literal(1)], hidden),
  })
  .refine(({ camo, other, reset_views }) => reset_views <= camo + other, {
    error: 'must be at most its views',
    path: ['reset_views'],
  })
const BadgeDayRow = z.object({
  tag: Tag,
  day: z.string().regex(/^\d{4}-\d\d-\d\d$/, { error: 'must be a day, such as 2026-11-23' }),
  camo: Count,
  other: Count,
})
const shapes: Readonly<Record<string, z.ZodType>> = { badge: BadgeRow, badge_day: BadgeDayRow }

/** Returns why a row that an operator imports is invalid, or undefined if it is valid. */
function refuseRow(table: string, row: Readonly<Record<string, unknown>>): string | undefined {
  const [issue] = shapes[table]?.safeParse(row).error?.issues ?? []
  return issue && `${issue.path.join('.')} ${issue.message}.`
}
