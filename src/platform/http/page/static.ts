import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import files from '@fastify/static'
import type { FastifyRequest } from 'fastify'
import { withTimeout } from '../../../shared/async.ts'
import { type AccessLevel, can, type RoleName } from '../../../shared/user.ts'
import { pagePolicy } from '../access/headers.ts'
import type { App } from '../app.ts'
import { acceptsEncoding } from './compress-answer.ts'

const shell = 'index.html'

type BuiltPage = {
  folder: string
  isPage: (path: string) => boolean
  preloadHintsOf: (path: string, query: URLSearchParams) => PreloadHints
}

/** Serves the built page: its files, and the app shell for every known page (200) and every unknown URL (404). */
export async function serveApp(app: App, { folder, isPage, preloadHintsOf }: BuiltPage): Promise<void> {
  const latestShell = await followShell(folder).catch((cause) => {
    throw new Error(`There is no built page in ${folder}: run \`npm start\`, which builds it.`, { cause })
  })
  const compressed = { preCompressed: true, cacheControl: false, index: false, decorateReply: false } as const
  await app.register(files, {
    ...compressed,
    root: folder,
    wildcard: false,
    globIgnore: [shell, 'assets/**', '**/*.{br,gz}'],
    setHeaders: (reply) => reply.header('cache-control', 'no-cache'),
  })
  // A build while the server runs gives assets new names, so look them up on each request.
  await app.register(files, {
    ...compressed,
    root: join(folder, 'assets'),
    prefix: '/assets/',
    setHeaders: (reply) => reply.header('cache-control', forever),
  })
  app.get('/*', { schema: { hide: true } }, async (request, reply) => {
    const path = pathOf(request.url)
    if (belongsToServer(path)) return reply.callNotFound()
    const { packed, policy, manifest } = await latestShell()
    const encoding = encodings.find((name) => acceptsEncoding(name, request.headers['accept-encoding']))
    if (encoding) reply.header('content-encoding', encoding)
    const hints = preloadHintsOf(path, new URLSearchParams(request.url.slice(path.length)))
    const { sources, guarded } = hints
    const calls = repeatsPreloads.test(request.headers['user-agent'] ?? '') ? [] : [...hints.calls]
    if (calls.length > 0 && guarded && (await mayCall(request, guarded.access))) calls.push(...guarded.calls)
    const link = preloadHeader(manifest, { sources, calls })
    if (link) reply.header('link', link)
    return reply
      .code(isPage(path) ? 200 : 404)
      .headers({ 'content-security-policy': policy, 'cache-control': 'no-cache', vary: 'Accept-Encoding' })
      .type('text/html; charset=utf-8')
      .send(packed[encoding ?? 'identity'])
  })
}

/** Whether the visitor has the role; false if the database is slow or fails, so that pages don't depend on it. */
async function mayCall(request: FastifyRequest, access: readonly [RoleName, AccessLevel]): Promise<boolean> {
  const caller = await withTimeout(
    longestLookUp,
    request.server.identify(request).catch(() => undefined),
  )
  return caller !== undefined && !caller.mustSetUp && can(caller.user, ...access)
}
/** Milliseconds. */
const longestLookUp = 50

/** Matches WebKit, which repeats a call even if it has preloaded the response. */
const repeatsPreloads = /AppleWebKit\/(?!.*Chrom)/

const encodings = ['br', 'gzip'] as const

type Shell = {
  version: string
  packed: Record<'identity' | (typeof encodings)[number], Buffer>
  policy: string
  manifest: Manifest
}

async function readShell(folder: string, previous?: Shell): Promise<Shell> {
  const file = join(folder, shell)
  const { mtimeMs, size } = await stat(file)
  const version = `${mtimeMs} ${size}`
  if (previous?.version === version) return previous
  const html = await readFile(file)
  if (html.length === 0) throw new Error(`${file} is empty.`)
  const manifest = await readManifest(folder, String(html))
  const packed = { identity: html, br: brotliCompressSync(html), gzip: gzipSync(html) }
  // As long as the manifest of this shell is missing, read both again on each request.
  return { version: manifest ? version : '', packed, policy: pagePolicy(String(html)), manifest: manifest ?? {} }
}

/** Returns a reader of the last complete build's shell: a build in progress has removed or emptied the file. */
async function followShell(folder: string): Promise<() => Promise<Shell>> {
  let last = await readShell(folder)
  return async () => {
    last = await readShell(folder, last).catch(() => last)
    return last
  }
}

/** The names of assets contain a hash of their content. */
const forever = 'public, max-age=31536000, immutable'

export const pathOf = (url: string) => url.split('?', 1)[0]!
/** Whether a path can never be a page. */
export const belongsToServer = (path: string) =>
  /^\/(?:api|docs|license|hooks|assets|healthz|readyz|metrics)(?:\/|$)/.test(path)

/** What a screen loads first: its source files, the calls of all visitors, and the calls of users with a role. */
export type PreloadHints = {
  sources: readonly string[]
  calls: readonly string[]
  guarded?: { access: readonly [RoleName, AccessLevel]; calls: readonly string[] }
}

/** The build's own record of its files, by source. */
type Manifest = Record<string, Built>
type Built = { file: string; imports?: string[]; css?: string[] }

/** The manifest of this shell; undefined if it is missing or belongs to another build. */
async function readManifest(folder: string, html: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, '.vite', 'manifest.json'), 'utf8').catch(() => '{}')
  const manifest: Manifest = JSON.parse(text)
  const program = manifest[shell]?.file
  return program !== undefined && html.includes(program) ? manifest : undefined
}

function filesOf(manifest: Manifest, source: string, seen = new Set<string>()): string[] {
  const built = manifest[source]
  if (!built || seen.has(source)) return []
  seen.add(source)
  return [built.file, ...(built.css ?? []), ...(built.imports ?? []).flatMap((one) => filesOf(manifest, one, seen))]
}

/** The `Link` header for preloads. Files load as data, since browsers never retry a module that failed to load. */
function preloadHeader(manifest: Manifest, { sources, calls }: Pick<PreloadHints, 'sources' | 'calls'>): string {
  const shellFiles = new Set(filesOf(manifest, shell))
  const files = new Set(sources.flatMap((source) => filesOf(manifest, source)))
  const paths = [...calls, ...[...files].filter((file) => !shellFiles.has(file)).map((file) => `/${file}`)]
  return paths.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`).join(', ')
}
