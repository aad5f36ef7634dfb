import * as z from 'zod/mini'
import { EntryId, entryContract } from '../../entries/contract.ts'
import { herokudiscordwebhookTool } from './tool.ts'

/** A Discord webhook, as its address names it. */
export type Webhook = { id: string; token: string; threadId: string | null }

const hosts = /^(?:(?:ptb|canary|www)\.)?discord(?:app)?\.com$/
const webhookPath = /^\/api(?:\/v\d{1,2})?\/webhooks\/(\d{15,22})\/([\w-]{30,120})\/?$/
const snowflake = /^\d{15,22}$/

/** The webhook that an address of Discord names, in whichever of its forms; undefined for any other address. */
export function webhookOf(text: string): Webhook | undefined {
  const url = URL.parse(text.trim())
  if (url?.protocol !== 'https:' || !hosts.test(url.host) || url.username || url.password) return undefined
  const [, id, token] = webhookPath.exec(url.pathname) ?? []
  if (!id || !token) return undefined
  const threadId = url.searchParams.get('thread_id')
  return { id, token, threadId: threadId && snowflake.test(threadId) ? threadId : null }
}

export const webhookUrl = ({ id, token }: Pick<Webhook, 'id' | 'token'>): string =>
  `https://discord.com/api/webhooks/${id}/${token}`
/** Enough of a webhook to know it again, too little to use it. */
export const maskOf = ({ id, token }: Pick<Webhook, 'id' | 'token'>): string =>
  `https://discord.com/api/webhooks/${id.slice(0, 4)}…/••••${token.slice(-4)}`
const mask = /^https:\/\/discord\.com\/api\/webhooks\/\d{4}…\/••••[\w-]{4}$/

const mistakes: readonly [RegExp, string][] = [
  [
    /^https:\/\/[\w.]+\/channels\/|^https:\/\/discord\.gg\/|^https:\/\/[\w.]+\/invite\//,
    'This is a link to a channel, not to a webhook. In Discord: Edit Channel > Integrations > Webhooks > Copy Webhook URL.',
  ],
  [
    /^(?:Bot )?[\w-]{23,30}\.[\w-]{6,7}\.[\w-]{27,}$/,
    'This looks like a bot token, which is not needed here. Keep it secret, and enter a webhook URL instead.',
  ],
  [/^http:\/\//, 'Enter the URL with https://, as Discord shows it.'],
  [
    /\/webhooks\/\d+\/[\w-]+\/(?:slack|github)\/?$/,
    'Remove /slack or /github from the end: those URLs are for other services.',
  ],
  [/\/webhooks(?:\/\d*(?:\/[\w-]*)?)?$/, 'Part of this webhook URL is missing. Copy all of it again.'],
]

/** Why an address is not a webhook's, in words for whoever pasted it; undefined for one that is. */
export function webhookMistake(text: string): string | undefined {
  if (webhookOf(text)) return undefined
  const url = URL.parse(text.trim())
  const isOurs = !url || hosts.test(url.host) || url.host === 'discord.gg'
  const known = isOurs && mistakes.find(([form]) => form.test(text.trim()))
  return known ? known[1] : 'Enter a Discord webhook URL, such as https://discord.com/api/webhooks/…/…'
}

/** A webhook's address, or the mask of the one that is kept. */
const DiscordHook = z
  .string({ error: 'Enter the webhook URL of a Discord channel.' })
  .check(z.trim(), z.maxLength(2_048, { error: 'Use at most 2048 characters.' }), ({ value, issues }) => {
    const message = mask.test(value) ? undefined : webhookMistake(value)
    if (message) issues.push({ code: 'custom', input: value, message })
  })

const Secret = z
  .string({ error: 'Use 16 to 256 characters, or null to turn off the signature check.' })
  .check(
    z.minLength(16, { error: 'Use at least 16 characters.' }),
    z.maxLength(256, { error: 'Use at most 256 characters.' }),
    z.regex(/^[^\0]*$/, { error: "The secret can't contain the character U+0000." }),
  )

export const presets = ['everything', 'deploysAndCrashes', 'deploys'] as const
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

const whole = entryContract({
  names: herokudiscordwebhookTool,
  settings: {
    discordHook: DiscordHook,
    /** What Heroku signs with: made up when a new entry has none, null checks no signature. */
    secret: z.optional(z.nullable(Secret)),
    filter: Filter,
    /** Whether messages say who did it. */
    showActor: z.boolean(),
    /** The id of the role that failures call. */
    mentionRole: MentionRole,
    threadId: ThreadId,
  },
  defaults: { filter: { preset: 'everything' }, showActor: false, mentionRole: null, threadId: null },
  added: {
    /** Where Heroku delivers to. */
    herokuEndpoint: z.string(),
    webhookId: z.string(),
    /** When the endpoint first took a delivery, rightly signed unless no signature is checked; epoch milliseconds. */
    connectedAt: z.nullable(z.int()),
    /** Deliveries with a wrong signature or none since one was taken: how many, and the last of them. */
    refused: z.nullable(z.object({ count: z.int(), at: z.int(), why: z.string() })),
    /** Since when Discord refuses the webhook, and its answer; null while it takes messages. */
    blocked: z.nullable(z.object({ at: z.int(), why: z.string() })),
    /** How many events wait to be replayed. */
    held: z.int(),
    /** Until when the secret before the present one counts, epoch milliseconds. */
    previousSecretUntil: z.nullable(z.int()),
    /** In the answer to a save: what could not be made sure. */
    warning: z.optional(z.string()),
  },
})

/** A list holds no secrets: the webhook is masked and `secret` left out. */
export const herokudiscordwebhook = { ...whole, ListItem: z.omit(whole.ListItem, { secret: true }) }

/** How a relay is called in the notice that Discord refuses its webhook, or its thread. */
export const relayCalled = (entryId: string): string => `the relay ${entryId}`

export const deliveryStates = ['accepted', 'delivered', 'ignored', 'collapsed', 'held'] as const
/**
 * accepted: on its way. From there delivered: Discord has it; or held: Discord did not take it, until a replay accepts it again.
 * On arrival ignored: the entry or its filter lets it not through; or collapsed: equal to another one minutes before.
 */
export type DeliveryState = (typeof deliveryStates)[number]

/** What became of one event of Heroku; `note` says why, or what Discord answered. */
export const Delivery = z.object({
  id: z.string(),
  eventId: z.string(),
  resource: z.string(),
  action: z.string(),
  /** What happened to which app; a test and an event that says too little have none. */
  title: z.optional(z.string()),
  state: z.enum(deliveryStates),
  receivedAt: z.int(),
  attempts: z.int(),
  note: z.optional(z.string()),
})
export type Delivery = z.infer<typeof Delivery>
/** How many of an entry's deliveries are listed, the newest. */
export const mostListed = 200

export const DeliveryQuery = z.object({ id: EntryId.shape.id, delivery: z.string() })
/** One delivery with what is kept of its event: without secrets, and of people only whom the entry shows. */
export const DeliveryDetail = z.extend(Delivery, { payload: z.unknown() })

/** Which of an entry's deliveries go to Discord again: those named, those of a state, those since an instant in milliseconds; all held ones when nothing is said. */
export const ReplayBody = z.strictObject({
  id: EntryId.shape.id,
  deliveries: z.optional(z.array(z.string()).check(z.maxLength(1_000, { error: 'Use at most 1,000 deliveries.' }))),
  state: z.optional(z.literal('held', { error: 'Only held deliveries can be replayed by state.' })),
  since: z.optional(z.int().check(z.minimum(0))),
})
export type ReplayBody = z.infer<typeof ReplayBody>
export const ReplayAnswer = z.object({ count: z.int() })
export type ReplayAnswer = z.infer<typeof ReplayAnswer>

/** The new secret; the one before counts until `previousUntil`, epoch milliseconds, null when there was none. */
export const NewSecret = z.object({
  secret: z.string(),
  previousUntil: z.nullable(z.int()),
  updatedAt: z.int(),
})
export type NewSecret = z.infer<typeof NewSecret>

/** What an event would say with these options: an example's by name, else the entry's last one. */
export const PreviewBody = z.strictObject({
  id: z.optional(EntryId.shape.id),
  example: z.optional(z.string()),
  filter: z._default(Filter, { preset: 'everything' }),
  showActor: z._default(z.boolean(), false),
  mentionRole: z._default(MentionRole, null),
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
/** A message as Discord would show it, why the filter would drop it, which example it is of, and the names of all. */
export const Preview = z.object({
  message: z.object({
    username: z.string(),
    content: z.optional(z.string()),
    embeds: z.optional(z.array(Embed)),
  }),
  dropped: z.nullable(z.string()),
  example: z.nullable(z.string()),
  examples: z.array(z.string()),
})
export type Preview = z.infer<typeof Preview>
