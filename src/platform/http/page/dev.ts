import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../app.ts'
import { belongsToServer, pathOf } from './static.ts'

/** Serves the page from source with hot reload, which needs inline scripts, so without a content security policy. */
export async function serveSources(
  app: App,
  sources: { root: string; isPage: (path: string) => boolean },
): Promise<void> {
  const { createServer } = await import('vite')
  const { root, isPage } = sources
  const vite = await createServer({
    root,
    appType: 'custom',
    // Node loads the file itself: a bundled copy would look like a changed source and restart the watcher forever.
    configLoader: 'native',
    server: { middlewareMode: true, hmr: { server: app.server } },
  })
  app.addHook('onClose', () => vite.close())
  app.get('/*', { schema: { hide: true } }, async (request, reply) => {
    const path = pathOf(request.url)
    if (belongsToServer(path)) return reply.callNotFound()
    reply.removeHeader('content-security-policy')
    const isUnhandled = await new Promise<boolean>((resolve, reject) => {
      reply.raw.once('close', () => resolve(false))
      vite.middlewares(request.raw, reply.raw, (error?: unknown) => (error ? reject(error) : resolve(true)))
    })
    if (!isUnhandled) return reply.hijack()
    const html = await vite.transformIndexHtml(request.url, readFileSync(join(root, 'index.html'), 'utf8'))
    return reply
      .code(isPage(path) ? 200 : 404)
      .type('text/html; charset=utf-8')
      .send(html)
  })
}
