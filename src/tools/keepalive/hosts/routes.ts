import type { Context } from '../../../platform/context.ts'
import { guard } from '../../../platform/http/access/guard.ts'
import type { App } from '../../../platform/http/app.ts'
import { minutes } from '../../../shared/time.ts'
import type { KeepaliveConfig } from '../config.ts'
import { Advice, AdviceBody, keepalive } from '../contract.ts'
import { recommended } from './terms/interval.ts'
import { asOf, hostOf } from './terms/known-hosts.ts'

/** The calls about hosts that put apps to sleep. */
export function hostRoutes(app: App, { config }: Context<KeepaliveConfig>): void {
  const { path, label } = keepalive
  const mayUse = guard('Tools', 1)

  app.post(
    `${path}/advice`,
    {
      ...mayUse,
      schema: {
        tags: [label],
        summary: 'Tell what is known of the host of a URL',
        description: 'The host is recognised by the address alone; nothing is visited.',
        body: AdviceBody,
        response: { 200: Advice },
      },
    },
    ({ body }): Advice => {
      const host = hostOf(body.url)
      return {
        host: host ? { id: host.id, name: host.name } : null,
        interval: recommended(host, config.keepaliveEvery) / minutes(1),
        sleepsAfter: host?.sleepsAfter ?? null,
        budget: host?.budget ?? null,
        notes: host?.notes.map(({ text }) => text) ?? [],
        asOf,
      }
    },
  )
}
