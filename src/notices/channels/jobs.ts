import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Db, Queries } from '../../platform/db/open.ts'
import type { Job, NewJob } from '../../platform/jobs/job.ts'
import type { Instant, Milliseconds } from '../../shared/time.ts'

/** The kinds of jobs that belong to a channel instead of an entry. */
export const channelJobs = {
  /** Tells what changed. There are as many as there were changes, one after the other: the first tells all of it. */
  news: 'channel',
  /** Tells again what still fails. */
  reminder: 'channel-reminder',
  /** Sends a test, whatever else waits. */
  test: 'channel-test',
  /** Mails the link that confirms an address. */
  confirmation: 'channel-confirmation',
} as const

const kinds: readonly string[] = Object.values(channelJobs)
export const isOfChannel = ({ kind }: Pick<Job, 'kind'>): boolean => kinds.includes(kind)

const Payload = z.object({ channel: z.string(), message: z.optional(z.string()) })

/** The channel of a job, and the id of its message if that was decided with it. */
export const payloadOf = ({ payload }: Pick<Job, 'payload'>): z.infer<typeof Payload> =>
  Payload.parse(JSON.parse(payload ?? 'null'))

/** A new job of its own, so that no one has to wait for the one that is being done. */
export const newsJob = (channel: string, dueAt: Instant, plannedAt: Instant): NewJob => ({
  id: `${channelJobs.news}:${randomUUID()}`,
  kind: channelJobs.news,
  entryId: null,
  lane: channel,
  payload: { channel },
  dueAt,
  plannedAt,
})

export const reminderId = (channel: string): string => `${channelJobs.reminder}:${channel}`

export const reminderJob = (channel: string, dueAt: Instant, plannedAt: Instant): NewJob => ({
  id: reminderId(channel),
  kind: channelJobs.reminder,
  entryId: null,
  lane: channel,
  payload: { channel },
  dueAt,
  plannedAt,
})

export const testJob = (channel: string, at: Instant): NewJob => ({
  id: `${channelJobs.test}:${channel}`,
  kind: channelJobs.test,
  entryId: null,
  payload: { channel, message: newMessageId() },
  dueAt: at,
})

export const confirmationJob = (channel: string, at: Instant): NewJob => ({
  id: `${channelJobs.confirmation}:${channel}`,
  kind: channelJobs.confirmation,
  entryId: null,
  payload: { channel },
  dueAt: at,
})

export const newMessageId = (): string => `msg_${randomUUID().replaceAll('-', '')}`

/** The clock was set by this much: moves since when these channels have been failing, with the jobs that try again. */
export async function shiftChannels(db: Db, tx: Queries, ids: readonly string[], by: Milliseconds): Promise<void> {
  if (ids.length === 0) return
  await sql`update channel set failing_since = failing_since + ${by}, told_at = told_at + ${by}
    where ${db.isOneOf('id', ids)}`.execute(tx)
}
