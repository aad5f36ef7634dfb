import type { FastifyReply } from 'fastify'
import * as z from 'zod/mini'
import { drawBadge, drawProblem } from '../../platform/badge/draw.ts'
import { logos } from '../../platform/badge/logos.ts'
import {
  type Look,
  LookQuery,
  type Problem,
  pictureOf,
  problemPicture,
  readLook,
  readOneOf,
  Shield,
  shieldOf,
} from '../../platform/badge/look.ts'
import { withSparkline } from '../../platform/badge/sparkline.ts'
import type { Context } from '../../platform/context.ts'
import { lockEntry } from '../../platform/db/locks.ts'
import { transact } from '../../platform/db/transact.ts'
import { anonymous } from '../../platform/http/access/guard.ts'
import type { App, Caller } from '../../platform/http/app.ts'
import type { LiveEvents } from '../../platform/live/live-events.ts'
import { snapshots } from '../../platform/live/snapshots.ts'
import type { NamedColor } from '../../shared/badge-look.ts'
import { formatPercent } from '../../shared/count.ts'
import { HttpError, notFound } from '../../shared/http-error.ts'
import { awakeLabels } from '../../shared/status-glyphs.ts'
import { seconds } from '../../shared/time.ts'
import { entryStore } from '../store.ts'
import { entryChanged } from '../stored-entry.ts'
import { type BadgeAddresses, badgesPath } from './addresses.ts'
import { type BadgePeriod, type BadgeType, badgePeriods, badgeTypes } from './contract.ts'
import { type BadgeFigures, loadFigures } from './figures.ts'
import type { PublicState } from './public-state.ts'

/** Short, because GitHub's image proxy caches an image for as long as it may. */
const maxAge = seconds(30)
const headers = {
  'cache-control': `public, max-age=${maxAge / seconds(1)}, s-maxage=${maxAge / seconds(1)}`,
  'access-control-allow-origin': '*',
}
const picture = { ...headers, 'content-type': 'image/svg+xml; charset=utf-8' }

const Query = z.extend(LookQuery, { type: z.optional(z.string()) })
const Token = z.object({ token: z.string() })
const description = [
  `\`type\`: ${badgeTypes.join(', ')}; \`period\`: ${badgePeriods.join(', ')}. The first value is the default.`,
  '`text`, `style`, `color`, `labelColor` and `logo` work as for analytics badges.',
].join(' ')

type BadgeRequest = Look & { type: BadgeType; period: BadgePeriod }

/** Serves badges at their signed addresses, without sign-in. Invalid and outdated addresses get the same response. */
export function badgeRoutes(
  app: App,
  context: Pick<Context, 'db' | 'now' | 'elapsed' | 'log'> & { events: LiveEvents },
  addresses: BadgeAddresses,
): void {
  const share = snapshots<BadgeFigures>(context, { most: 5_000, keptFor: seconds(10) })
  const { find: findLogo } = logos()

  async function draw(badge: BadgeRequest, figures: BadgeFigures | undefined): Promise<string> {
    const { label, message, color } = labelsOf(badge, figures)
    const logo = badge.logo === undefined ? undefined : await findLogo(badge.logo)
    const svg = drawBadge({
      message,
      label: badge.label ?? label,
      color: badge.color ?? color,
      labelColor: badge.labelColor,
      style: badge.style,
      logo,
    })
    if (badge.style !== 'sparkline' || !figures) return svg
    const numbers = figures.daily[badge.type === 'latency' ? 'latency' : 'uptime']
    return withSparkline(svg, { numbers, titleSuffix: `, by day over the last ${numbers.length} days` })
  }

  /** Returns undefined for an invalid address, and an object without figures if the database fails. */
  async function findFigures(token: string): Promise<{ figures?: BadgeFigures } | undefined> {
    try {
      const signed = await addresses.read(token)
      const figures = signed && (await share(signed.id, () => loadFigures(context, signed.id)))
      return figures && figures.version === signed.version ? { figures } : undefined
    } catch (error) {
      context.log.error({ err: error }, 'Failed to read an entry for its badge')
      return {}
    }
  }

  app.get(
    `${badgesPath}:token.svg`,
    {
      ...anonymous(),
      schema: {
        tags: ['Badges'],
        summary: "Get an entry's badge as an SVG image",
        description,
        params: Token,
        querystring: Query,
        response: { 200: pictureOf('The badge.'), 400: problemPicture, 404: problemPicture },
      },
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const { token } = request.params as { token: string }
      const found = await findFigures(token)
      if (!found) return sendProblem(reply, 404, 'not found')
      const badge = readBadgeRequest(request.url)
      if ('problem' in badge) return sendProblem(reply, 400, badge.problem)
      return reply.headers(picture).send(await draw(badge, found.figures))
    },
  )

  app.get(
    `${badgesPath}:token.json`,
    {
      ...anonymous(),
      schema: {
        tags: ['Badges'],
        summary: "Get an entry's badge as JSON for shields.io",
        description: `An endpoint for https://shields.io/badges/endpoint-badge. ${description}`,
        failures: [404],
        params: Token,
        querystring: Query,
        response: { 200: Shield },
      },
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const { token } = request.params as { token: string }
      const found = await findFigures(token)
      reply.headers(headers)
      if (!found) throw notFound('Badge')
      const badge = readBadgeRequest(request.url)
      if ('problem' in badge) throw new HttpError(400, `${badge.problem}.`)
      return shieldOf(badge, labelsOf(badge, found.figures))
    },
  )
}

const sendProblem = (reply: FastifyReply, status: number, words: string) =>
  reply.code(status).headers(picture).send(drawProblem('badge', words))

function readBadgeRequest(url: string): BadgeRequest | Problem {
  const query = new URLSearchParams(/\?.*/s.exec(url)?.[0])
  const look = readLook(query, ['type', 'period'])
  if ('problem' in look) return look
  const type = readOneOf(badgeTypes, query.get('type'))
  const period = readOneOf(badgePeriods, query.get('period'))
  if (type === null) return { problem: `type: ${badgeTypes.join(', ')}` }
  if (period === null) return { problem: `period: ${badgePeriods.join(', ')}` }
  return { ...look, type: type ?? badgeTypes[0], period: period ?? badgePeriods[0] }
}

/** Gives an entry's badges a new address; the old one becomes a 404. */
export async function renewBadge(
  { db, events, badges }: Pick<Context, 'db' | 'events'> & { badges: BadgeAddresses },
  tool: string,
  id: string,
  user: Caller['user'],
): Promise<string> {
  const { ownerId, version } = await transact(db, async (tx) => {
    await lockEntry(db, tx, id)
    const { ownerId } = await entryStore(db, tx).get(tool, id, user)
    const entry = tx.updateTable('entry').where('id', '=', id)
    const { badge_version: version } = await entry
      .set(({ eb }) => ({ badge_version: eb('badge_version', '+', 1) }))
      .returning('badge_version')
      .executeTakeFirstOrThrow()
    return { ownerId, version }
  })
  events.publish([entryChanged(tool, id, ownerId)])
  return badges.of({ id, version })
}

type BadgeLabels = { label: string; message: string; color: NamedColor }

/** Undefined figures read "unknown". */
export const labelsOf = (
  { type, period }: { type: BadgeType; period: BadgePeriod },
  figures: BadgeFigures | undefined,
): BadgeLabels => ({
  label: labelOf(type, period),
  ...(figures ? messagesByType[type](figures, period) : unknownMessage),
})

const labelOf = (type: BadgeType, period: BadgePeriod): string =>
  ({ status: 'status', uptime: `uptime ${period}`, latency: `response time ${period}` })[type]

type BadgeMessage = Omit<BadgeLabels, 'label'>
const unknownMessage: BadgeMessage = { message: 'unknown', color: 'lightgrey' }
const noData: BadgeMessage = { message: '–', color: 'lightgrey' }

const messagesByType: Record<BadgeType, (figures: BadgeFigures, period: BadgePeriod) => BadgeMessage> = {
  status: ({ state, awake }) => {
    const { message, color } = stateMessages[state]
    return { message: awake ? `${message}, ${awakeLabels[awake]}` : message, color }
  },
  uptime: ({ uptime }, period) => uptimeMessage(uptime[period]),
  latency: ({ latency }, period) => latencyMessage(latency[period]),
}

const stateMessages: Record<PublicState, BadgeMessage> = {
  up: { message: 'up', color: 'brightgreen' },
  failing: { message: 'failing', color: 'orange' },
  down: { message: 'down', color: 'red' },
  paused: { message: 'paused', color: 'lightgrey' },
  new: { message: 'pending', color: 'lightgrey' },
  unchecked: { message: 'not monitored', color: 'lightgrey' },
}

function uptimeMessage(share: number | null): BadgeMessage {
  if (share === null) return noData
  return { message: formatPercent(share), color: colorFor(share, [0.995, 0.98, 0.95, 0.9]) }
}

function latencyMessage(ms: number | null): BadgeMessage {
  if (ms === null) return noData
  const message = ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1_000)} s`
  return { message, color: colorFor(-ms, [-500, -1_000, -2_000, -5_000]) }
}

/** The color for a value; `bounds` are the minimum for each color, best first. */
function colorFor(value: number, bounds: readonly number[]): NamedColor {
  const index = bounds.findIndex((bound) => value >= bound)
  return (['brightgreen', 'green', 'yellow', 'orange'] as const)[index] ?? 'red'
}
