import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Job, NewJob } from '../platform/jobs/job.ts'
import type { Instant } from '../shared/time.ts'

export const deliveries = {
  /** Sends a channel its pending notices. Each change adds a job; they run in sequence, and the first sends all. */
  notices: 'channel',
  /** Reminds a channel of entries that still fail. */
  reminder: 'channel-reminder',
  /** Sent ahead of pending notices. */
  test: 'channel-test',
  confirmation: 'channel-confirmation',
  mail: 'mail',
  /** Answers a request to reset the password of the account with this email, if there is one. */
  forgotten: 'mail-forgotten',
} as const

const kinds: readonly string[] = Object.values(deliveries)
export const isDelivery = ({ kind }: Pick<Job, 'kind'>): boolean => kinds.includes(kind)

const Payload = z.union([
  // `message` is the message's id if it was set when the job was created.
  z.object({ channel: z.string(), message: z.optional(z.string()) }),
  z.object({ mail: z.string() }),
  z.object({ email: z.string() }),
])
type Payload = z.infer<typeof Payload>

export const payloadOf = ({ payload }: Pick<Job, 'payload'>): Payload => Payload.parse(JSON.parse(payload ?? 'null'))

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

/** A separate job for each change, so that adding one never waits for a running job. */
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

/** A separate job for each request, so that all requests take the same time. */
export const forgottenJob = (email: string, at: Instant): NewJob =>
  jobOf(deliveries.forgotten, randomUUID(), { email }, at)

export const newMessageId = (): string => `msg_${randomUUID().replaceAll('-', '')}`
