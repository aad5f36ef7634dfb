import { guard } from '../platform/http/access/guard.ts'
import { isForwarded } from '../platform/http/access/headers.ts'
import type { App } from '../platform/http/app.ts'
import type { Auth } from '../sign-in/auth.ts'
import { Dismissal, FirstSteps, SelfCheck } from './contract.ts'
import { examine, type SelfCheckContext } from './examine.ts'
import { dismiss, readFirstSteps } from './first-steps.ts'

const tags = ['Server']
const mayAll = guard('Admin', 2)
const stepsPath = '/api/v1/admin/first-steps'

/** The calls by which admins see how this server is doing, and what a new one still needs. */
export function selfCheckRoutes(app: App, context: SelfCheckContext, { providers }: Pick<Auth, 'providers'>): void {
  app.get(
    '/api/v1/admin/health',
    {
      ...mayAll,
      schema: {
        tags,
        summary: 'Check this server',
        description:
          'Each finding says what is so and, unless all is well, what to do. The proxy is judged by how this request came.',
        response: { 200: SelfCheck },
      },
    },
    (request) => {
      const way = {
        isForwarded: isForwarded(request),
        peer: request.socket.remoteAddress ?? '',
        address: request.ip,
      }
      return examine(context, { way, providers })
    },
  )

  const read = () => readFirstSteps({ ...context, hasProviders: providers.length > 0 })

  app.get(
    stepsPath,
    { ...mayAll, schema: { tags, summary: 'List what a new server still needs', response: { 200: FirstSteps } } },
    read,
  )

  app.patch(
    stepsPath,
    {
      ...mayAll,
      schema: {
        tags,
        summary: 'Dismiss steps, for all admins',
        body: Dismissal,
        response: { 200: FirstSteps },
      },
    },
    async (request) => {
      await dismiss(context, request.body.ids)
      return read()
    },
  )
}
