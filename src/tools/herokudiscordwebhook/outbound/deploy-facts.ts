import * as z from 'zod/mini'
import { type HerokuEvent, maybe, maybeObject } from '../event/event.ts'
import { escapeMarkdown } from '../message/card.ts'
import { Build, finalStatuses, linkCommit, Release } from '../message/deploys.ts'

/** One event's report of a build or a release. All of its texts are safe to show. */
const StepReport = z.object({
  status: z.optional(z.string()),
  action: z.string(),
  /** When the step began and last changed, and when Heroku published the event; epoch milliseconds. */
  from: z.optional(z.int()),
  to: z.optional(z.int()),
  publishedAt: z.int(),
  eventId: z.string(),
  commit: z.optional(z.string()),
  description: z.optional(z.string()),
  stack: z.optional(z.string()),
  /** Whether the release is the app's current one. Only for releases, and only if the event contains it. */
  current: z.optional(z.boolean()),
  actor: z.optional(z.string()),
})
export type StepReport = z.infer<typeof StepReport>

/** A build or a release, with its newest report while in progress and its final one. */
const Step = z.object({
  id: z.string(),
  slug: z.optional(z.string()),
  /** The id of a build's release, and the version of that release or of the step itself. */
  release: z.optional(z.string()),
  version: z.optional(z.int()),
  /** The longest known prefix of the commit's hash. */
  hash: z.optional(z.string()),
  begun: z.optional(StepReport),
  ended: z.optional(StepReport),
})
export type Step = z.infer<typeof Step>

/** All known facts of a deploy, whichever of its events have arrived, in any order. */
export const Facts = z.object({
  app: z.object({ id: z.optional(z.string()), name: z.optional(z.string()) }),
  build: z.optional(Step),
  release: z.optional(Step),
})
export type Facts = z.infer<typeof Facts>

const Id = maybe(z.string().check(z.regex(/^[\x21-\x7e]{1,100}$/)))
const Hash = maybe(z.string().check(z.regex(/^[0-9a-f]{7,64}$/)))
const Slug = maybeObject({ id: Id, commit: Hash })
const BuildLinks = z.object({
  id: Id,
  slug: Slug,
  release: maybeObject({ id: Id }),
  source_blob: maybeObject({ version: Hash }),
})
const ReleaseLinks = z.object({
  id: Id,
  slug: Slug,
  current: maybe(z.boolean()),
  description: maybe(z.string()),
})

/** Heroku allows 30 characters, but a client that knows the endpoint can send more, and cards store the name. */
const longestName = 200

/** An event's facts about a deploy; undefined if it isn't about a build or release, or doesn't identify it. */
export function factsOf(event: HerokuEvent): Facts | undefined {
  const build = event.entity === 'api:build' ? buildOf(event) : undefined
  const release = event.entity === 'api:release' ? releaseOf(event) : undefined
  if (!build && !release) return undefined
  return { app: { id: event.app.id, name: event.app.name?.slice(0, longestName) }, build, release }
}

function buildOf(event: HerokuEvent): Step | undefined {
  const { id, slug, release, source_blob } = BuildLinks.parse(event.data)
  if (id === undefined) return undefined
  const hash = source_blob?.version
  const fields = Build.parse(event.data)
  const source = fields.source_blob
  const version = fields.release?.version
  const commit = linkCommit(fields.slug?.commit ?? (hash && `\`${hash.slice(0, 7)}\``), source?.version, source?.url)
  const report: StepReport = {
    ...envelopeOf(event, fields),
    commit,
    description: source?.version_description ?? fields.slug?.commit_description,
    stack: fields.stack,
  }
  return { id, slug: slug?.id, release: release?.id, version, hash: hash ?? slug?.commit, ...slotOf(report) }
}

function releaseOf(event: HerokuEvent): Step | undefined {
  const { id, slug, current, description } = ReleaseLinks.parse(event.data)
  if (id === undefined) return undefined
  const fields = Release.parse(event.data)
  const report: StepReport = {
    ...envelopeOf(event, fields),
    commit: fields.slug?.commit,
    description: fields.description,
    current,
  }
  const deployed = /^deploy ([0-9a-f]{7,64})$/i.exec(description ?? '')?.[1]?.toLowerCase()
  return { id, slug: slug?.id, version: fields.version, hash: slug?.commit ?? deployed, ...slotOf(report) }
}

const envelopeOf = (
  { id, status, action, publishedAt, actor }: HerokuEvent,
  { created_at: from, updated_at: to }: { created_at?: number | undefined; updated_at?: number | undefined },
) => ({
  status,
  action,
  from,
  to,
  publishedAt: publishedAt ?? 0,
  eventId: id,
  actor: actor ? escapeMarkdown(actor.email) : undefined,
})

const slotOf = (report: StepReport): Pick<Step, 'begun' | 'ended'> =>
  finalStatuses.has(report.status ?? '') ? { ended: report } : { begun: report }

/** Merges two sets of facts about one deploy. The order of merging doesn't matter, nor does repetition. */
export const mergeFacts = (one: Facts, other: Facts): Facts => ({
  app: { id: one.app.id ?? other.app.id, name: newestName(one, other) },
  build: mergeSteps(one.build, other.build),
  release: mergeSteps(one.release, other.release),
})

/** The newer name, because an app may be renamed between events. */
const newestName = (one: Facts, other: Facts) =>
  publishedAt(one) < publishedAt(other) ? (other.app.name ?? one.app.name) : (one.app.name ?? other.app.name)

/** When the newest report was published, epoch milliseconds; 0 if unknown. */
export const publishedAt = ({ build, release }: Facts): number =>
  Math.max(0, ...[build, release].flatMap((step) => [step?.begun?.publishedAt ?? 0, step?.ended?.publishedAt ?? 0]))

function mergeSteps(one: Step | undefined, other: Step | undefined): Step | undefined {
  if (!one || !other) return one ?? other
  return {
    id: one.id,
    slug: one.slug ?? other.slug,
    release: one.release ?? other.release,
    version: one.version ?? other.version,
    hash: longest(one.hash, other.hash),
    begun: newer(one.begun, other.begun),
    ended: newer(one.ended, other.ended),
  }
}

const longest = (one: string | undefined, other: string | undefined) =>
  (one?.length ?? 0) < (other?.length ?? 0) ? other : one

/** Heroku doesn't number its events, so the report with the later change is newer, or else the later publication. */
function newer(one: StepReport | undefined, other: StepReport | undefined): StepReport | undefined {
  if (!one || !other) return one ?? other
  const order = (one.to ?? 0) - (other.to ?? 0) || one.publishedAt - other.publishedAt
  if (order === 0) return one.eventId < other.eventId ? other : one
  return order < 0 ? other : one
}
