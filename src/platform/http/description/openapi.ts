import type { RouteOptions } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Config } from '../../config/config.ts'
import { open } from '../access/guard.ts'
import type { App } from '../app.ts'
import { docs } from '../docs/page.ts'
import { compressed } from '../page/compress-answer.ts'

/** Describes every route that is mounted after it, as OpenAPI 3.1 and as a page to read it and try it out, with the app's styles from the folder `ui`. */
export function openapi(app: App, config: Config, ui: URL): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route)
  })
  // Few ask for it, and what makes it is large.
  let made: Promise<OpenAPIV3_1.Document> | undefined
  const described = () => {
    made ??= import('./describe.ts').then(({ describe }) => describe(routes, config))
    made.catch(() => {
      made = undefined
    })
    return made
  }
  docs(app, config.baseUrl, ui, described)
  app.get('/api/v1/openapi.json', { ...open(), schema: { hide: true }, onSend: compressed }, described)
}
