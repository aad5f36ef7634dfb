import { readFileSync } from 'node:fs'
import type { OpenAPIV3_1 } from 'openapi-types'
import { pagePolicy } from '../access/headers.ts'
import type { App } from '../app.ts'
import { docsPage } from './page.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url))

/** `GET /api/docs`: a page to read the API and to try it. */
export function docs(app: App, baseUrl: string): void {
  const hidden = { schema: { hide: true } } as const
  const scripts = { 'docs.js': read('docs.js'), 'theme.js': read('theme.js') }
  const style = read('docs.css')
  let page: string | undefined
  app.get('/api/docs', hidden, (_request, reply) => {
    page ??= docsPage(app.swagger() as OpenAPIV3_1.Document, baseUrl)
    return reply.header('content-security-policy', pagePolicy(page)).type('text/html; charset=utf-8').send(page)
  })
  for (const [name, script] of Object.entries(scripts))
    app.get(`/api/docs/${name}`, hidden, (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script))
  app.get('/api/docs/docs.css', hidden, (_request, reply) => reply.type('text/css; charset=utf-8').send(style))
}
