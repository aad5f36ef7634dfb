import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Job, NewJob } from '../../platform/jobs/job.ts'
import type { Instant } from '../../shared/time.ts'

/** The kinds of jobs that send mails about accounts. */
export const mailJobs = {
  /** Sends a mail that is stored. */
  send: 'mail',
  /** Somebody has forgotten the password of the account with this email, if there is one. */
  forgotten: 'mail-forgotten',
} as const

const kinds: readonly string[] = Object.values(mailJobs)
export const isOfMail = ({ kind }: Pick<Job, 'kind'>): boolean => kinds.includes(kind)

const SendPayload = z.object({ mail: z.string() })
const ForgottenPayload = z.object({ email: z.string() })
type Payload = { kind: 'send'; mail: string } | { kind: 'forgotten'; email: string }

export function payloadOf({ kind, payload }: Pick<Job, 'kind' | 'payload'>): Payload {
  const json = JSON.parse(payload ?? 'null')
  if (kind === mailJobs.forgotten) return { kind: 'forgotten', ...ForgottenPayload.parse(json) }
  return { kind: 'send', ...SendPayload.parse(json) }
}

export const sendJob = (mail: string, at: Instant): NewJob => ({
  id: `${mailJobs.send}:${mail}`,
  kind: mailJobs.send,
  entryId: null,
  payload: { mail },
  dueAt: at,
})

/** A job of its own for each request, so that none takes longer than another. */
export const forgottenJob = (email: string, at: Instant): NewJob => ({
  id: `${mailJobs.forgotten}:${randomUUID()}`,
  kind: mailJobs.forgotten,
  entryId: null,
  payload: { email },
  dueAt: at,
})
