import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Job, NewJob } from '../platform/jobs/job.ts'
import type { Instant } from '../shared/time.ts'

export const deliveries = {
  /** Sends a channel what changed. There are as many as there were changes, one after the other: the first sends all of it. */
  notices: 'channel',
  /** Sends a channel again what still fails. */
  reminder: 'channel-reminder',
  /** Sends a channel a test, whatever else waits. */
  test: 'channel-test',
  /** Mails the link that confirms a channel's address. */
  confirmation: 'channel-confirmation',
  mail: 'mail',
  /** Somebody has forgotten the password of the account with this email, if there is one. */
  forgotten: 'mail-forgotten',
} as const

const kinds: readonly string[] = Object.values(deliveries)
export const isDelivery = ({ kind }: Pick<Job, 'kind'>): boolean => kinds.includes(kind)

const Payload = z.union([
  // The id of its message, if that was decided with the job.
  z.object({ channel: z.string(), message: z.optional(z.string()) }),
  z.object({ mail: z.string() }),
  z.object({ email: z.string() }),
])
type Payload = z.infer<typeof Payload>

export const payloadOf = ({ payload }: Pick<Job, 'payload'>): Payload => Payload.parse(JSON.parse(payload ?? 'null'))

/** The channel that a job belongs to, if it does. */
export function channelOf(job: Pick<Job, 'kind' | 'payload'>): string | undefined {
  const payload = isDelivery(job) ? payloadOf(job) : undefined
  return payload && 'channel' in payload ? payload.channel : undefined
}

const jobOf = (kind: string, key: string, payload: Payload, dueAt: Instant): NewJob => ({
  id: `${kind}:${key}`,
  kind,
  entryId: null,
  payload,
  dueAt,
})

/** A new job of its own, so that no one has to wait for the one that is being done. */
export const noticesJob = (channel: string, dueAt: Instant, plannedAt: Instant): NewJob => ({
  ...jobOf(deliveries.notices, randomUUID(), { channel }, dueAt),
  lane: channel,
  plannedAt,
})

export const reminderId = (channel: string): string => `${deliveries.reminder}:${channel}`

export const reminderJob = (channel: string, dueAt: Instant, plannedAt: Instant): NewJob => ({
  ...jobOf(deliveries.reminder, channel, { channel }, dueAt),
  lane: channel,
  plannedAt,
})

export const testJob = (channel: string, at: Instant): NewJob =>
  jobOf(deliveries.test, channel, { channel, message: newMessageId() }, at)

export const confirmationJob = (channel: string, at: Instant): NewJob =>
  jobOf(deliveries.confirmation, channel, { channel }, at)

export const mailJob = (mail: string, at: Instant): NewJob => jobOf(deliveries.mail, mail, { mail }, at)

/** A job of its own for each request, so that none takes longer than another. */
export const forgottenJob = (email: string, at: Instant): NewJob =>
  jobOf(deliveries.forgotten, randomUUID(), { email }, at)

export const newMessageId = (): string => `msg_${randomUUID().replaceAll('-', '')}`
