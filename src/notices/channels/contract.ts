import * as z from 'zod/mini'
import { Quiet } from '../../shared/quiet.ts'
import { ignored } from '../../shared/schemas/edits.ts'
import { LinkToken } from '../../shared/schemas/email.ts'
import { OptionalName } from '../../shared/schemas/names.ts'

const channelEvents = ['failing', 'recovered', 'blocked', 'account', 'operator'] as const
const defaultEvents: ChannelEvent[] = ['failing', 'recovered', 'blocked']
export type ChannelEvent = (typeof channelEvents)[number]

const mostIds = 1_000
const hoursOfAWeek = 168

const Status = z.boolean({ error: 'Use true for active or false for inactive.' })
/** Depends on the type; `…/channels/types` has the schemas. */
const Settings = z.record(z.string(), z.unknown(), { error: "Enter the channel's settings." })
const Events = z.array(z.enum(channelEvents, { error: `Use some of these: ${channelEvents.join(', ')}.` })).check(
  z.minLength(1, { error: 'Choose at least one.' }),
  z.refine((chosen) => new Set(chosen).size === chosen.length, { error: 'Use each only once.' }),
)
const idRule = z.regex(/^\P{Cc}*$/u, { error: "An ID can't contain control characters." })
const Id = z.string().check(z.minLength(1), z.maxLength(64), idRule)
const SomeIds = z
  .array(Id)
  .check(
    z.minLength(1, { error: 'Choose at least one, or null for all.' }),
    z.maxLength(mostIds, { error: `Choose at most ${mostIds}.` }),
  )
const Ids = z.nullable(SomeIds)
const remindError = { error: `Use whole hours from 1 to ${hoursOfAWeek}, or null for no reminders.` }
const RemindEvery = z.nullable(
  z.int(remindError).check(z.minimum(1, remindError), z.maximum(hoursOfAWeek, remindError)),
)

/** Secrets are masked. `tools` and `entries` are ids, null for all. `remindEvery` is in hours, instants in epoch ms. */
export const Channel = z.object({
  id: z.string(),
  name: z.nullable(z.string()),
  type: z.string(),
  status: z.boolean(),
  settings: z.record(z.string(), z.unknown()),
  events: z.array(z.enum(channelEvents)),
  tools: z.nullable(z.array(z.string())),
  entries: z.nullable(z.array(z.string())),
  quiet: z.nullable(Quiet),
  remindEvery: z.nullable(z.int()),
  /** False until the link mailed to the channel's address is opened. */
  confirmed: z.boolean(),
  failingSince: z.nullable(z.int()),
  lastError: z.nullable(z.string()),
  lastSentAt: z.nullable(z.int()),
  createdAt: z.int(),
  updatedAt: z.int(),
})
export type Channel = z.infer<typeof Channel>

const readOnly = ignored('confirmed', 'failingSince', 'lastError', 'lastSentAt', 'createdAt', 'updatedAt')

const Type = z.string({ error: 'Choose a type.' })

const NewChannelBody = z.strictObject({
  ...readOnly,
  id: z.optional(z.unknown()),
  name: z._default(OptionalName, null),
  type: Type,
  status: z._default(Status, true),
  settings: Settings,
  events: z._default(Events, defaultEvents),
  tools: z._default(Ids, null),
  entries: z._default(Ids, null),
  quiet: z._default(z.nullable(Quiet), null),
  remindEvery: z._default(RemindEvery, null),
})
export type NewChannelBody = z.infer<typeof NewChannelBody>

/** Settings that are omitted, or masked as they were read, stay. */
const ChannelBody = z.strictObject({
  ...readOnly,
  id: z.string({ error: "Enter the channel's ID." }),
  name: z.optional(OptionalName),
  type: z.optional(Type),
  status: z.optional(Status),
  settings: z.optional(Settings),
  events: z.optional(Events),
  tools: z.optional(Ids),
  entries: z.optional(Ids),
  quiet: z.optional(z.nullable(Quiet)),
  remindEvery: z.optional(RemindEvery),
})
export type ChannelBody = z.infer<typeof ChannelBody>

const ChannelId = z.object({ id: z.string().check(z.minLength(1, { error: 'Enter an ID.' })) })

/** `fields` is a JSON Schema of its settings, in which secrets are `writeOnly`. */
const ChannelType = z.object({ id: z.string(), label: z.string(), fields: z.record(z.string(), z.unknown()) })
export type ChannelType = z.infer<typeof ChannelType>

export const channelCalls = {
  'GET /api/v1/user/channels': { answer: z.array(Channel) },
  'GET /api/v1/user/channels/types': { answer: z.array(ChannelType) },
  'POST /api/v1/user/channels': { body: NewChannelBody, answer: Channel, status: 201 },
  'PATCH /api/v1/user/channels': { body: ChannelBody, answer: Channel },
  'DELETE /api/v1/user/channels': { query: ChannelId, answer: ChannelId },
  'POST /api/v1/user/channels/test?id': { query: ChannelId, answer: ChannelId, status: 202 },
  /** Returns the confirmed address. */
  'POST /api/v1/user/channels/confirm': {
    body: z.strictObject({ token: LinkToken }),
    answer: z.object({ to: z.string() }),
  },
} as const

declare module '../../shared/calls.ts' {
  interface Calls extends Table<typeof channelCalls> {}
}
