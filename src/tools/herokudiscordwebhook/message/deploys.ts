import * as z from 'zod/mini'
import { type HerokuEvent, IsoTimestamp, maybe, maybeObject } from '../event/event.ts'
import { type Card, Count, formatDuration, type Head, SafeText, safeText } from './card.ts'

const hash = /^[0-9a-f]{7,64}$/
const archive =
  /^https:\/\/codeload\.github\.com\/([\w.-]{1,100}\/[\w.-]{1,100})\/legacy\.tar\.gz\/[0-9a-f]{40}(?:\?|$)/

const formatCommit = (commit: string) =>
  hash.test(commit) ? `\`${commit.slice(0, 7)}\`` : safeText(commit) || undefined
const Commit = maybe(z.pipe(z.string(), z.transform(formatCommit)))

/** The GitHub repository that a build was downloaded from, as `owner/name`. */
const Repository = maybe(
  z.pipe(
    z.string(),
    z.transform((url: string) => archive.exec(url)?.[1]),
  ),
)

export function linkCommit(commit: string | undefined, version: string | undefined, repository: string | undefined) {
  if (!commit?.startsWith('`') || !repository || !version || !hash.test(version)) return commit
  return `[${commit}](https://github.com/${repository}/commit/${version})`
}

export const Build = z.object({
  slug: maybeObject({ commit: Commit, commit_description: SafeText }),
  release: maybeObject({ version: Count }),
  source_blob: maybeObject({ url: Repository, version: maybe(z.string()), version_description: SafeText }),
  stack: SafeText,
  created_at: IsoTimestamp,
  updated_at: IsoTimestamp,
})

export const finalStatuses: ReadonlySet<string> = new Set(['succeeded', 'failed', 'expired'])
const isFinished = ({ status }: HerokuEvent) => finalStatuses.has(status ?? '')

export const buildHeads = new Map<string | undefined, Head>([
  ['pending', { tone: 'busy', emoji: '🔨', title: 'build started' }],
  ['succeeded', { tone: 'good', emoji: '📦', title: 'build succeeded' }],
  ['failed', { tone: 'bad', emoji: '❌', title: 'build failed' }],
])

export function buildCard(event: HerokuEvent): Card {
  const { slug, release, source_blob: source, stack, created_at, updated_at } = Build.parse(event.data)
  const version = source?.version
  const commit = slug?.commit ?? Commit.parse(version)
  return {
    ...(buildHeads.get(event.status) ?? { tone: 'quiet', emoji: '🔨', title: 'build changed' }),
    description: source?.version_description ?? slug?.commit_description,
    facts: [
      ['Commit', linkCommit(commit, version, source?.url)],
      ['Release', release?.version === undefined ? undefined : `v${release.version}`],
      ['Took', isFinished(event) ? formatDuration(created_at, updated_at) : undefined],
      ['Stack', stack],
    ],
  }
}

export const Release = z.object({
  version: Count,
  description: SafeText,
  slug: maybeObject({ commit: Commit, commit_description: SafeText }),
  created_at: IsoTimestamp,
  updated_at: IsoTimestamp,
})

export function releaseCard(event: HerokuEvent): Card {
  const { version, description, slug, created_at, updated_at } = Release.parse(event.data)
  const name = version === undefined ? 'new version' : `v${version}`
  const more = slug?.commit_description
  return {
    ...releaseHead(event, name, description),
    description: more && more !== description ? [description, more].filter(Boolean).join('\n') : description,
    facts: [
      ['Commit', slug?.commit],
      ['Took', isFinished(event) ? formatDuration(created_at, updated_at) : undefined],
    ],
  }
}

export function releaseHead(
  { status, action }: Pick<HerokuEvent, 'status' | 'action'>,
  name: string,
  description: string | undefined,
): Head {
  if (status === 'failed' || status === 'expired') return { tone: 'bad', emoji: '❌', title: `${name} failed` }
  if (status === 'pending') return { tone: 'busy', emoji: '⏳', title: `${name} is pending` }
  if (status !== undefined && status !== 'succeeded') return { tone: 'quiet', emoji: '🚀', title: `${name} changed` }
  if (action === 'destroy') return { tone: 'gone', emoji: '🗑️', title: `${name} removed` }
  const back = /^rollback to (v\d{1,9})$/i.exec(description ?? '')?.[1]
  if (back) return { tone: 'good', emoji: '⏪', title: `${name} released, back to ${back}` }
  return { tone: 'good', emoji: '🚀', title: `${name} released` }
}
