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
    /** What Heroku signs with: generated if a new entry has none; null turns off the check. */
    secret: z.optional(z.nullable(Secret)),
    filter: Filter,
    showActor: z.boolean(),
    /** The id of the role that failures mention. */
    mentionRole: MentionRole,
    threadId: ThreadId,
    /** Whether the builds and releases of a deploy are one message, which is edited. */
    card: z.boolean(),
  },
  defaults: { filter: { preset: 'everything' }, showActor: false, mentionRole: null, threadId: null, card: false },
  added: {
    herokuEndpoint: z.string(),
    webhookId: z.string(),
    /** When the endpoint first accepted a delivery; epoch milliseconds. */
    connectedAt: z.nullable(z.int()),
    /** Deliveries with a wrong signature or none since the last accepted one: how many, and the last of them. */
    refused: z.nullable(z.object({ count: z.int(), at: z.int(), why: z.string() })),
    /** Since when Discord has rejected the webhook, and its answer; null while it accepts messages. */
    blocked: z.nullable(z.object({ at: z.int(), why: z.string() })),
    /** How many events are waiting to be replayed. */
    held: z.int(),
    /** Until when the previous secret is valid, epoch milliseconds. */
    previousSecretUntil: z.nullable(z.int()),
    /** In the answer to a save: what couldn't be checked. */
    warning: z.optional(z.string()),
  },
})

/** A list holds no secrets: the webhook is masked and `secret` left out. */
export const herokudiscordwebhook = { ...contract, ListItem: z.omit(contract.ListItem, { secret: true }) }

/** The columns that only its own list has, by their keys. */
export const relayColumnTerms = {
  herokuEndpoint: { title: 'Heroku Webhook Endpoint', search: 'includes' },
  discordHook: { title: 'Discord Webhook URL', search: 'includes' },
} as const satisfies Record<string, ColumnTerms>

export const deliveryStates = ['accepted', 'delivered', 'ignored', 'collapsed', 'held'] as const
/**
 * accepted: being delivered. Then delivered: Discord has it; or held: Discord didn't accept it, until a replay accepts it again.
 * Or, on arrival, ignored: the entry is inactive or its filter excludes it; or collapsed: a duplicate of a recent event.
 * Held ones are called parked in the code, where held would suggest a lock; the database, the API and the screens say held.
 */
export type DeliveryState = (typeof deliveryStates)[number]
/** Those that are runs: Discord has them, or didn't accept them. */
export const runStates = ['delivered', 'held'] as const satisfies readonly DeliveryState[]

/** What became of an event; `note` says why, or what Discord answered. */
export const Delivery = z.object({
  id: z.string(),
  eventId: z.string(),
  resource: z.string(),
  action: z.string(),
  /** What happened to which app; tests have none, nor events that say too little. */
  title: z.optional(z.string()),
  state: z.enum(deliveryStates),
  receivedAt: z.int(),
  attempts: z.int(),
  note: z.optional(z.string()),
})
export type Delivery = z.infer<typeof Delivery>
/** How many deliveries are listed at once. */
export const mostListed = 200

/** Why deliveries are rejected while too many undelivered events fill what an entry may keep. */
export const tooManyWait = 'too many undelivered events'

/** Which of an entry's deliveries to list: from an instant on, and older than an instant, both in milliseconds, or than the delivery with this id. */
const DeliveriesQuery = z.strictObject({
  id: EntryId.shape.id,
  search: z.optional(z.string().check(z.trim(), z.maxLength(200, { error: 'Use at most 200 characters.' }))),
  /** `run` for the delivered and the held ones, also while they are sent again. */
  state: z.optional(
    z.enum([...deliveryStates, 'run'], { error: `Use one of these: ${deliveryStates.join(', ')}, run.` }),
  ),
  since: z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,15}$/, { error: 'Use a time in whole milliseconds.' })),
      z.transform(Number),
    ),
  ),
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
  size: z.optional(
    z.pipe(
      z.string().check(z.regex(/^(?:[1-9]\d?|1\d\d|200)$/, { error: `Use a size from 1 to ${mostListed}.` })),
      z.transform(Number),
    ),
  ),
})

export type DeliveriesQuery = z.infer<typeof DeliveriesQuery>

/** A delivery with the stored event: without secrets, and with the author only if the entry shows authors. */
const DeliveryDetail = z.extend(Delivery, { payload: z.unknown() })

/** Which of an entry's deliveries to replay: by id, by state, or since an instant in milliseconds; by default all held ones. */
const ReplayBody = z.strictObject({
  id: EntryId.shape.id,
  deliveries: z.optional(z.array(z.string()).check(z.maxLength(1_000, { error: 'Use at most 1,000 deliveries.' }))),
  state: z.optional(z.literal('held', { error: 'Only held deliveries can be replayed by state.' })),
  since: z.optional(z.int().check(z.minimum(0))),
})
export type ReplayBody = z.infer<typeof ReplayBody>

/** The new secret; the previous one is valid until `previousUntil`, epoch milliseconds, null if there was none. */
const NewSecret = z.object({
  secret: z.string(),
  previousUntil: z.nullable(z.int()),
  updatedAt: z.int(),
})

/** Asks for the message of an event with these options: an example's by name, or the entry's last one. */
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
/**
 * The message, why the filter would drop it, which example it is of, and all examples. `outcome` is what the event
 * does: it is a message of its own, begins the card of its deploy, edits it, or edits it and is told by this new message.
 */
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
