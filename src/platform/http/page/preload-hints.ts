import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccessLevel, RoleName } from '../../../shared/user.ts'

/** What a screen begins with: the sources of its parts, the calls that all its visitors make, and those of who has a role. */
export type PreloadHints = {
  sources: readonly string[]
  calls: readonly string[]
  guarded?: { access: readonly [RoleName, AccessLevel]; calls: readonly string[] }
}

/** The build's own record of its files, by their sources. */
export type Manifest = Record<string, Built>
type Built = { file: string; imports?: string[]; css?: string[] }

const shell = 'index.html'

/** The manifest beside this shell; undefined if it is missing or of another build. */
export async function readManifest(folder: string, html: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, '.vite', 'manifest.json'), 'utf8').catch(() => '{}')
  const manifest: Manifest = JSON.parse(text)
  const program = manifest[shell]?.file
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
export function preloadHeader(manifest: Manifest, { sources, calls }: Pick<PreloadHints, 'sources' | 'calls'>): string {
  const there = new Set(filesOf(manifest, shell))
  const files = new Set(sources.flatMap((source) => filesOf(manifest, source)))
  const paths = [...calls, ...[...files].filter((file) => !there.has(file)).map((file) => `/${file}`)]
  return paths.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`).join(', ')
}
