import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import files from '@fastify/static'
import { pagePolicy } from '../access/headers.ts'
import type { App } from '../app.ts'

const shell = 'index.html'

/** Serves the built page: its files, and the app shell for every address that is a page of ours (200) or nothing at all (404). */
export async function serveApp(app: App, built: { folder: string; isPage: (path: string) => boolean }): Promise<void> {
  const { folder, isPage } = built
  if (!existsSync(join(folder, shell)))
    throw new Error(`There is no built page in ${folder}: run \`npm start\`, which builds it.`)
  const csp = pagePolicy(readFileSync(join(folder, shell), 'utf8'))
  await app.register(files, {
    root: folder,
    wildcard: false,
    index: false,
    globIgnore: [shell, '**/*.{br,gz}'],
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) =>
      reply.header('cache-control', path.startsWith(join(folder, 'assets')) ? forever : 'no-cache'),
  })
  app.get('/*', { schema: { hide: true } }, (request, reply) => {
    const path = pathOf(request.url)
    if (belongsToServer(path)) return reply.callNotFound()
    reply.code(isPage(path) ? 200 : 404).header('content-security-policy', csp)
    // Without a validator, a 404 is never turned into "not modified".
    return reply.sendFile(shell, { etag: false, lastModified: false })
  })
}

/** The names of files in there hold a hash of what is in them. */
const forever = 'public, max-age=31536000, immutable'

export const pathOf = (url: string) => url.split('?', 1)[0]!
/** Addresses that never show a page. */
export const belongsToServer = (path: string) => /^\/(?:api|hooks|assets|healthz|readyz|metrics)(?:\/|$)/.test(path)
