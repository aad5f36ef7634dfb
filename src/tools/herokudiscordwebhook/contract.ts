import * as z from 'zod/mini'
import { EntryId, entryContract } from '../../entries/contract.ts'
import type { ColumnTerms } from '../../shared/list-terms.ts'
import { DiscordHook, snowflake } from '../../shared/urls/discord-webhook.ts'
import { herokudiscordwebhookNames } from './terms.ts'

const Secret = z
  .string({ error: 'Use 16 to 256 characters, or null to turn off the signature check.' })
  .check(
    z.minLength(16, { error: 'Use at least 16 characters.' }),
    z.maxLength(256, { error: 'Use at most 256 characters.' }),
    z.regex(/^[^\0]*$/, { error: "The secret can't contain the character U+0000." }),
  )

const presets = ['everything', 'deploysAndCrashes', 'deploys'] as const
const word = (most: number) =>
  z.string().check(z.regex(/^[\w:. -]+$/, { error: 'Not a Heroku resource or status.' }), z.maxLength(most))
const Filter = z.union(
  [
    z.strictObject({ preset: z.enum(presets) }),
    z.strictObject({
      resources: z.array(word(100)).check(z.maxLength(50)),
      statuses: z.array(word(40)).check(z.maxLength(50)),
    }),
  ],
  { error: 'Enter a preset, or lists of resources and statuses.' },
)
const MentionRole = z.nullable(z.string().check(z.regex(/^\d{17,20}$/, { error: 'Enter a role ID: 17 to 20 digits.' })))
const ThreadId = z.nullable(z.string().check(z.regex(snowflake, { error: 'Enter a thread ID: digits only.' })))

const contract = entryContract({
  names: herokudiscordwebhookNames,
  settings: {
    discordHook: DiscordHook,
    /** The secret that Heroku signs with. Generated if a new entry has none; null turns off the signature check. */
    secret: z.optional(z.nullable(Secret)),
    filter: Filter,
    showActor: z.boolean(),
    /** The id of the Discord role that failure messages mention. */
    mentionRole: MentionRole,
    threadId: ThreadId,
    /** Whether each deploy is one message, which is edited as its build and release progress. */
    card: z.boolean(),
  },
  defaults: { filter: { preset: 'everything' }, showActor: false, mentionRole: null, threadId: null, card: false },
  added: {
    herokuEndpoint: z.string(),
    webhookId: z.string(),
    /** When the endpoint first accepted a delivery; epoch milliseconds. */
    connectedAt: z.nullable(z.int()),
    /** Deliveries rejected since the last accepted one: their number, and the time and reason of the last. */
    refused: z.nullable(z.object({ count: z.int(), at: z.int(), why: z.string() })),
    /** When Discord began to reject the webhook, and its answer; null while it accepts messages. */
    blocked: z.nullable(z.object({ at: z.int(), why: z.string() })),
    /** How many events are waiting to be replayed. */
    held: z.int(),
    /** How many events are waiting for Discord. */
    waiting: z.int(),
    /** When the event that the others wait for is sent again, and why its last attempt failed; null if none has. */
    retry: z.nullable(z.object({ at: z.int(), why: z.string() })),
    /** When the previous secret expires, epoch milliseconds; null if there is none. */
    previousSecretUntil: z.nullable(z.int()),
    /** Only in the response to a save: what couldn't be checked. */
    warning: z.optional(z.string()),
  },
})

/** List items contain no secrets: the webhook is masked and `secret` is omitted. */
export const herokudiscordwebhook = { ...contract, ListItem: z.omit(contract.ListItem, { secret: true }) }

/** The columns that only this tool's list has, by key. */
export const relayColumnTerms = {
  herokuEndpoint: { title: 'Heroku Webhook Endpoint', search: 'includes' },
  discordHook: { title: 'Discord Webhook URL', search: 'includes' },
} as const satisfies Record<string, ColumnTerms>

const deliveryStates = ['accepted', 'delivered', 'ignored', 'collapsed', 'held'] as const
/**
 * `accepted` events wait for Discord. They become `delivered`, or `held` until a replay. `ignored`: the entry is
 * inactive or its filter excludes them. `collapsed`: duplicates. The code says "parked", as "held" suggests a lock.
 */
export type DeliveryState = (typeof deliveryStates)[number]
/** The states that count as runs: Discord did or didn't accept the message. */
export const runStates = ['delivered', 'held'] as const satisfies readonly DeliveryState[]

/** The outcome of an event. `note` is the reason, or Discord's answer. */
export const Delivery = z.object({
  id: z.string(),
  eventId: z.string(),
  resource: z.string(),
  action: z.string(),
  /** The app and what happened to it. Missing for test messages and for events that can't be parsed. */
  title: z.optional(z.string()),
  state: z.enum(deliveryStates),
  receivedAt: z.int(),
  attempts: z.int(),
  note: z.optional(z.string()),
})
export type Delivery = z.infer<typeof Delivery>
export const mostListed = 200

/** The reason for rejected deliveries while undelivered events fill the entry's bounds. */
export const tooManyWait = 'too many undelivered events'

const numberLike = (pattern: RegExp, error: string) =>
  z.pipe(z.string().check(z.regex(pattern, { error })), z.transform(Number))

/** Selects an entry's deliveries. `since`: epoch ms, inclusive. `before`: epoch ms or a delivery id, exclusive. */
const DeliveriesQuery = z.strictObject({
  id: EntryId.shape.id,
  search: z.optional(z.string().check(z.trim(), z.maxLength(200, { error: 'Use at most 200 characters.' }))),
  /** `run` selects delivered and held deliveries, and those that are still waiting for Discord. */
  state: z.optional(
    z.enum([...deliveryStates, 'run'], { error: `Use one of these: ${deliveryStates.join(', ')}, run.` }),
  ),
  since: z.optional(numberLike(/^\d{1,15}$/, 'Use a time in whole milliseconds.')),
  before: z.optional(
    z.pipe(
      z.string().check(
        z.regex(/^(?:\d{1,15}|[\da-f-]{16,64})$/, {
          error: 'Use a time in whole milliseconds, or the ID of a delivery.',
        }),
      ),
      z.transform((text: string) => (text.length < 16 ? Number(text) : text)),
    ),
  ),
  size: z.optional(numberLike(/^(?:[1-9]\d?|1\d\d|200)$/, `Use a size from 1 to ${mostListed}.`)),
})

export type DeliveriesQuery = z.infer<typeof DeliveriesQuery>

/** A delivery with its stored event, without secrets, and with the author only if the entry shows authors. */
const DeliveryDetail = z.extend(Delivery, { payload: z.unknown() })

/** Selects an entry's deliveries to replay: by id, by state, or since an instant (epoch ms). Default: all held. */
const ReplayBody = z.strictObject({
  id: EntryId.shape.id,
  deliveries: z.optional(z.array(z.string()).check(z.maxLength(1_000, { error: 'Use at most 1,000 deliveries.' }))),
  state: z.optional(z.literal('held', { error: 'Only held deliveries can be replayed by state.' })),
  since: z.optional(z.int().check(z.minimum(0))),
})
export type ReplayBody = z.infer<typeof ReplayBody>

/** The new secret. `previousUntil` is when the previous one expires, epoch milliseconds; null if there was none. */
const NewSecret = z.object({
  secret: z.string(),
  previousUntil: z.nullable(z.int()),
  updatedAt: z.int(),
})

/** The message options, and the event to preview: an example by name, or else the entry's last event. */
export const PreviewBody = z.strictObject({
  id: z.optional(EntryId.shape.id),
  example: z.optional(z.string()),
  filter: z._default(Filter, { preset: 'everything' }),
  showActor: z._default(z.boolean(), false),
  mentionRole: z._default(MentionRole, null),
  card: z._default(z.boolean(), false),
})

const Field = z.object({ name: z.string(), value: z.string(), inline: z.optional(z.boolean()) })
const Embed = z.object({
  title: z.string(),
  url: z.optional(z.string()),
  color: z.int(),
  description: z.optional(z.string()),
  fields: z.optional(z.array(Field)),
  footer: z.optional(z.object({ text: z.string() })),
  timestamp: z.optional(z.string()),
})
/** `outcome`: a separate message, a new card, an edit of the card, or for a failure an edit plus this new message. */
export const Preview = z.object({
  outcome: z.enum(['message', 'card', 'edit', 'failure']),
  message: z.object({
    username: z.string(),
    content: z.optional(z.string()),
    embeds: z.optional(z.array(Embed)),
  }),
  dropped: z.nullable(z.string()),
  example: z.nullable(z.string()),
  examples: z.array(z.object({ name: z.string(), title: z.string() })),
})
export type Preview = z.infer<typeof Preview>

export const herokudiscordwebhookCalls = {
  'GET /api/v1/herokudiscordwebhook/deliveries': { query: DeliveriesQuery, answer: z.array(Delivery) },
  'GET /api/v1/herokudiscordwebhook/delivery': {
    query: z.extend(EntryId, { delivery: z.string() }),
    answer: DeliveryDetail,
  },
  'POST /api/v1/herokudiscordwebhook/deliveries/replay': {
    body: ReplayBody,
    answer: z.object({ count: z.int() }),
    status: 202,
  },
  'POST /api/v1/herokudiscordwebhook/test?id': { query: EntryId, answer: EntryId, status: 202 },
  'POST /api/v1/herokudiscordwebhook/secret?id': { query: EntryId, answer: NewSecret },
  'POST /api/v1/herokudiscordwebhook/preview': { body: PreviewBody, answer: Preview },
} as const

declare module '../../shared/calls.ts' {
  interface Calls extends Table<typeof herokudiscordwebhookCalls> {}
}
