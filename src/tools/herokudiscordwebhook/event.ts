import * as z from 'zod/mini'
import type { Instant } from '../../shared/time.ts'

/** What Heroku says has happened, with whatever it left out or named strangely made plain. */
export type HerokuEvent = {
  /** Stays the same when Heroku delivers the event again. */
  id: string
  /** What may be subscribed to: `api:release`, or `dyno` for the changes of a dyno's state. */
  entity: string
  /** create, update or destroy; `unknown` when it is not said. */
  action: string
  actor: { email: string } | null
  app: { id?: string | undefined; name?: string | undefined }
  status?: string | undefined
  /** When Heroku published it, or made it when that is not said. */
  publishedAt: Instant | null
  data: Record<string, unknown>
  /** What the changed fields held before. */
  previous: Record<string, unknown>
}

/** A field that may be absent, null or anything else, and is then undefined. */
export const maybe = <T>(schema: z.ZodMiniType<T, unknown>) => z.catch(z.optional(schema), undefined)
/** An object within an event, with the fields that are of interest. */
export const part = <T extends z.core.$ZodLooseShape>(shape: T) => maybe(z.object(shape))

const latest = Date.UTC(10_000, 0)
const dated = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

function instantOf(text: string): Instant | undefined {
  const at = dated.test(text) ? Date.parse(text) : Number.NaN
  return at >= 0 && at < latest ? at : undefined
}

/** A date as Heroku writes it: with Z or an offset, with or without fractions of a second. */
export const When = maybe(z.pipe(z.string(), z.transform(instantOf)))

/** What becomes a key in the database or a word in a note is short and has nothing strange in it. */
const Id = maybe(z.string().check(z.regex(/^[\x21-\x7e]{1,200}$/)))
const Name = maybe(z.string().check(z.regex(/^[\w:.-]{1,100}$/)))
const Word = maybe(z.string().check(z.regex(/^[a-z][\w -]{0,39}$/i)))
const Email = maybe(z.string().check(z.regex(/^[^\s@]{1,64}@[^\s@]{1,255}$/)))
const Fields = maybe(z.looseObject({}))

const Envelope = z.object({
  id: Id,
  action: Word,
  resource: Name,
  actor: part({ email: Email }),
  data: Fields,
  previous_data: Fields,
  published_at: When,
  updated_at: When,
  created_at: When,
  webhook_metadata: part({ event: part({ id: Id, include: Name }) }),
})

const Data = z.object({
  id: Id,
  name: maybe(z.string()),
  app: part({ id: Id, name: maybe(z.string()) }),
  status: Word,
  state: Word,
})

/** Reads what Heroku posted: fields may be missing, null or new, but without an id and a resource it is no event. */
export function parseEvent(raw: unknown): HerokuEvent | { problem: string } {
  const read = Envelope.safeParse(raw)
  if (!read.success) return { problem: 'The body is not a JSON object.' }
  const envelope = read.data
  const subscribed = envelope.webhook_metadata?.event
  const id = envelope.id ?? subscribed?.id
  if (id === undefined) return { problem: 'The event has no id.' }
  const entity = subscribed?.include ?? entityOf(envelope.resource)
  if (entity === undefined) return { problem: 'The event names no resource.' }
  const data = envelope.data ?? {}
  const known = Data.parse(data)
  const email = envelope.actor?.email
  return {
    id,
    entity,
    action: envelope.action ?? 'unknown',
    actor: email === undefined ? null : { email },
    app: (entity === 'api:app' ? known : known.app) ?? {},
    status: known.status ?? known.state,
    publishedAt: envelope.published_at ?? envelope.updated_at ?? envelope.created_at ?? null,
    data,
    previous: envelope.previous_data ?? {},
  }
}

/** Only the subscription tells a dyno's state from a dyno; without one it is the entity of the API. */
const entityOf = (resource: string | undefined) =>
  resource === undefined || resource.startsWith('api:') ? resource : `api:${resource}`
