import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import files from '@fastify/static'
import type { FastifyRequest } from 'fastify'
import { within } from '../../../shared/async.ts'
import { type AccessLevel, can, type RoleName } from '../../../shared/user.ts'
import { pagePolicy } from '../access/headers.ts'
import type { App } from '../app.ts'
import { takes } from './compress-answer.ts'

const shell = 'index.html'

type BuiltPage = {
  folder: string
  isPage: (path: string) => boolean
  preloadHintsOf: (path: string, query: URLSearchParams) => PreloadHints
}

/** Serves the built page: its files, and the app shell for every page of ours (200) and every unknown address (404). */
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
  // A build under the running server gives assets new names, so they are looked up at each request.
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
    const encoding = encodings.find((name) => takes(name, request.headers['accept-encoding']))
    if (encoding) reply.header('content-encoding', encoding)
    const hints = preloadHintsOf(path, new URLSearchParams(request.url.slice(path.length)))
    const { sources, guarded } = hints
    const calls = asksTwice.test(request.headers['user-agent'] ?? '') ? [] : [...hints.calls]
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

/** Whether this visitor has the role. A page doesn't wait for a database that is slow, or fail with it. */
async function mayCall(request: FastifyRequest, access: readonly [RoleName, AccessLevel]): Promise<boolean> {
  const caller = await within(
    longestLookUp,
    request.server.identify(request).catch(() => undefined),
  )
  return caller !== undefined && !caller.mustSetUp && can(caller.user, ...access)
}
/** ms */
const longestLookUp = 50

/** WebKit, which calls the server once more for an answer that it has preloaded. */
const asksTwice = /AppleWebKit\/(?!.*Chrom)/

const encodings = ['br', 'gzip'] as const

type Shell = {
  version: string
  packed: Record<'identity' | (typeof encodings)[number], Buffer>
  policy: string
  manifest: Manifest
}

/** Reads the shell, unless it is still this one. */
async function readShell(folder: string, known?: Shell): Promise<Shell> {
  const file = join(folder, shell)
  const { mtimeMs, size } = await stat(file)
  const version = `${mtimeMs} ${size}`
  if (known?.version === version) return known
  const html = await readFile(file)
  if (html.length === 0) throw new Error(`${file} is empty.`)
  const manifest = await readManifest(folder, String(html))
  const packed = { identity: html, br: brotliCompressSync(html), gzip: gzipSync(html) }
  // While the manifest of this shell isn't there yet, both are read again.
  return { version: manifest ? version : '', packed, policy: pagePolicy(String(html)), manifest: manifest ?? {} }
}

/** Answers the shell of the last build: one that is under way has removed or emptied the file. */
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
/** Addresses that never are a page. */
export const belongsToServer = (path: string) =>
  /^\/(?:api|docs|license|hooks|assets|healthz|readyz|metrics)(?:\/|$)/.test(path)

/** What a screen begins with: the sources of its parts, the calls that all its visitors make, and those of who has a role. */
export type PreloadHints = {
  sources: readonly string[]
  calls: readonly string[]
  guarded?: { access: readonly [RoleName, AccessLevel]; calls: readonly string[] }
}

/** The build's own record of its files, by their sources. */
type Manifest = Record<string, Built>
type Built = { file: string; imports?: string[]; css?: string[] }

const shellSource = 'index.html'

/** The manifest next to this shell; undefined if it is missing or of another build. */
async function readManifest(folder: string, html: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, '.vite', 'manifest.json'), 'utf8').catch(() => '{}')
  const manifest: Manifest = JSON.parse(text)
  const program = manifest[shellSource]?.file
  return program !== undefined && html.includes(program) ? manifest : undefined
}

/** This source's files and those of whatever it imports. */
function filesOf(manifest: Manifest, source: string, seen = new Set<string>()): string[] {
  const built = manifest[source]
  if (!built || seen.has(source)) return []
  seen.add(source)
  return [built.file, ...(built.css ?? []), ...(built.imports ?? []).flatMap((one) => filesOf(manifest, one, seen))]
}

/**
 * The `Link` header that has the browser fetch what a screen begins with while the program is still on its way; empty if
 * there is nothing. As data, which is how the page fetches its parts: a module that failed to come would never be retried.
 */
function preloadHeader(manifest: Manifest, { sources, calls }: Pick<PreloadHints, 'sources' | 'calls'>): string {
  const there = new Set(filesOf(manifest, shellSource))
  const files = new Set(sources.flatMap((source) => filesOf(manifest, source)))
  const paths = [...calls, ...[...files].filter((file) => !there.has(file)).map((file) => `/${file}`)]
  return paths.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`).join(', ')
}
