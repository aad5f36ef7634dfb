import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import files from '@fastify/static'
import { pagePolicy } from '../access/headers.ts'
import type { App } from '../app.ts'

const shell = 'index.html'

/** Serves the built page: its files, and the app shell for every page of ours (200) and every unknown address (404). */
export async function serveApp(app: App, built: { folder: string; isPage: (path: string) => boolean }): Promise<void> {
  const { folder, isPage } = built
  if (!existsSync(join(folder, shell)))
    throw new Error(`There is no built page in ${folder}: run \`npm start\`, which builds it.`)
  const compressed = { preCompressed: true, cacheControl: false, index: false } as const
  await app.register(files, {
    ...compressed,
    root: folder,
    wildcard: false,
    globIgnore: [shell, 'assets/**', '**/*.{br,gz}'],
    setHeaders: (reply) => reply.header('cache-control', 'no-cache'),
  })
  // A build under the running server gives assets new names, so they are looked up at each request.
  await app.register(files, {
    ...compressed,
    root: join(folder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    setHeaders: (reply) => reply.header('cache-control', forever),
  })
  app.get('/*', { schema: { hide: true } }, (request, reply) => {
    const path = pathOf(request.url)
    if (belongsToServer(path)) return reply.callNotFound()
    const policy = pagePolicy(readFileSync(join(folder, shell), 'utf8'))
    reply.code(isPage(path) ? 200 : 404).header('content-security-policy', policy)
    // Without validators a 404 never becomes "not modified".
    return reply.sendFile(shell, { etag: false, lastModified: false })
  })
}

/** The names of assets contain a hash of their content. */
const forever = 'public, max-age=31536000, immutable'

export const pathOf = (url: string) => url.split('?', 1)[0]!
/** Addresses that never are a page. */
export const belongsToServer = (path: string) => /^\/(?:api|hooks|assets|healthz|readyz|metrics)(?:\/|$)/.test(path)
