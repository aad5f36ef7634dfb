import type { Context } from '../../platform/context.ts'
import { anonymous } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { HttpError } from '../../shared/http-error.ts'
import { analyticsbadge, Shield, TagParams } from './contract.ts'
import type { ViewCounter } from './counting/counter.ts'
import { viewsWithin } from './periods.ts'
import { BadgeQuery, type Options, readOptions } from './picture/options.ts'
import { messageOf } from './picture/svg.ts'
import { badgePath, defaultColor, defaultLabel } from './terms.ts'

/** `GET /api/v1/analyticsbadge/{tag}/shields`: what shields.io draws a badge from. Asking counts nothing. */
export function shieldsRoute(
  app: App,
  { db, now, counter }: Pick<Context, 'db' | 'now'> & { counter: ViewCounter },
): void {
  app.get(
    `${badgePath}:tag/shields`,
    {
      ...anonymous(),
      schema: {
        tags: [analyticsbadge.label],
        summary: 'Get a badge as JSON for shields.io',
        description:
          'An endpoint for https://shields.io/badges/endpoint-badge. It takes the parameters of the image, and counts no view.',
        params: TagParams,
        querystring: BadgeQuery,
        response: { 200: Shield },
      },
    },
    async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
      const { tag } = request.params
      const options = readOptions(request.url)
      if ('problem' in options) throw new HttpError(400, `${options.problem}.`)
      const { views, hidden = false } = (await counter.look(tag)) ?? { views: 0 }
      if (hidden) return shieldOf(options, undefined)
      const { period } = options
      const count = period ? await viewsWithin(db, { tag, shown: views, period }, now()) : views
      return shieldOf(options, messageOf(count, options))
    },
  )
}

/** Without a message only the label is shown, as the message, since shields.io insists on one. */
function shieldOf(options: Options, message: string | undefined): Shield {
  const { label = defaultLabel, color = defaultColor, labelColor, logo, style } = options
  return {
    schemaVersion: 1,
    ...(message === undefined ? { label: '', message: label } : { label, message }),
    color,
    ...(labelColor && { labelColor }),
    ...(logo && { namedLogo: logo }),
    ...(style && style !== 'sparkline' && { style }),
  }
}
