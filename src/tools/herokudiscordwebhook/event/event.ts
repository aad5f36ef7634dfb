import * as z from 'zod/mini'
import type { SettingsOf } from '../../../entries/contract.ts'
import type { Instant } from '../../../shared/time.ts'
import type { herokudiscordwebhook } from '../contract.ts'

/** A parsed Heroku event, with defaults for missing or malformed fields. */
export type HerokuEvent = {
  /** Stays the same when Heroku delivers the event again. */
  id: string
  /** The entity of Heroku's subscription, such as `api:release`, or `dyno` for changes of a dyno's state. */
  entity: string
  /** create, update or destroy; `unknown` if missing. */
  action: string
  actor: { email: string } | null
  app: { id?: string | undefined; name?: string | undefined }
  status?: string | undefined
  /** When Heroku published the event, or else updated or created it. */
  publishedAt: Instant | null
  data: Record<string, unknown>
  /** The previous values of changed fields. */
  previous: Record<string, unknown>
}

/** Makes a field undefined if it doesn't match the schema. */
export const maybe = <T>(schema: z.ZodMiniType<T, unknown>) => z.catch(z.optional(schema), undefined)
export const maybeObject = <T extends z.core.$ZodLooseShape>(shape: T) => maybe(z.object(shape))

const latest = Date.UTC(10_000, 0)
const isoPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

function instantOf(text: string): Instant | undefined {
  const at = isoPattern.test(text) ? Date.parse(text) : Number.NaN
  return at >= 0 && at < latest ? at : undefined
}

/** A date in Heroku's format: with Z or an offset, with or without fractions of a second. */
export const IsoTimestamp = maybe(z.pipe(z.string(), z.transform(instantOf)))

/** Database keys and the texts of notes must be short and free of unusual characters. */
const id = /^[\x21-\x7e]{1,200}$/
const name = /^[\w:.-]{1,100}$/
const word = /^[a-z][\w -]{0,39}$/i
const email = /^[^\s@]{1,64}@[^\s@]{1,255}$/

/** Parsed by hand, because every delivery waits for it: the schemas used for messages take five times as long. */
const textOf = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined
const whenOf = (value: unknown): Instant | undefined => (typeof value === 'string' ? instantOf(value) : undefined)
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

/** Parses a body posted by Heroku. Fields may be missing, null or unknown, but an event needs an id and a resource. */
export function parseEvent(raw: unknown): HerokuEvent | { problem: string } {
  if (!isObject(raw)) return { problem: 'The body is not a JSON object.' }
  const subscribed = fieldsOf(fieldsOf(raw.webhook_metadata).event)
  const eventId = textOf(raw.id, id) ?? textOf(subscribed.id, id)
  if (eventId === undefined) return { problem: 'The event has no ID.' }
  const entity = textOf(subscribed.include, name) ?? entityOf(textOf(raw.resource, name))
  if (entity === undefined) return { problem: 'The event has no resource.' }
  const data = fieldsOf(raw.data)
  const actor = textOf(fieldsOf(raw.actor).email, email)
  return {
    id: eventId,
    entity,
    action: textOf(raw.action, word) ?? 'unknown',
    actor: actor === undefined ? null : { email: actor },
    app: appOf(entity === 'api:app' ? data : fieldsOf(data.app)),
    status: textOf(data.status, word) ?? textOf(data.state, word),
    publishedAt: whenOf(raw.published_at) ?? whenOf(raw.updated_at) ?? whenOf(raw.created_at) ?? null,
    data,
    previous: fieldsOf(raw.previous_data),
  }
}

const appOf = (fields: Record<string, unknown>): HerokuEvent['app'] => ({
  id: textOf(fields.id, id),
  name: typeof fields.name === 'string' ? fields.name : undefined,
})

/** Only the subscription distinguishes a dyno's state from an API dyno. Without it, assume the API's entity. */
const entityOf = (resource: string | undefined) =>
  resource === undefined || resource.startsWith('api:') ? resource : `api:${resource}`

/** Which events an entry relays. An empty list means all resources or statuses. */
export type Filter = SettingsOf<typeof herokudiscordwebhook>['filter']

const deployEntities = new Set(['api:build', 'api:release'])
const isDeploy = ({ entity }: HerokuEvent) => deployEntities.has(entity)
const isCrash = ({ entity, status }: HerokuEvent) => /^(?:api:)?dyno$/.test(entity) && status === 'crashed'

const presets = {
  everything: { allows: () => true, named: 'everything' },
  deploys: { allows: isDeploy, named: 'deploys' },
  deploysAndCrashes: {
    allows: (event: HerokuEvent) => isDeploy(event) || isCrash(event),
    named: 'deploys and crashes',
  },
}

/** Why a filter excludes an event; null if it doesn't. */
export function dropReason(filter: Filter, event: HerokuEvent): string | null {
  if ('preset' in filter) {
    const { allows, named } = presets[filter.preset]
    return allows(event) ? null : `the filter only allows ${named}`
  }
  const { resources, statuses } = filter
  // Heroku's events call api:release just release.
  if (resources.length > 0 && !resources.some((name) => [name, entityOf(name)].includes(event.entity)))
    return `the filter excludes ${event.entity}`
  if (statuses.length === 0 || statuses.includes(event.status ?? '')) return null
  if (event.status === undefined)
    return `the filter requires the status ${statuses.join(' or ')}, and this event has none`
  return `the filter excludes the status ${event.status}`
}
