import { minutes } from '../../../shared/time.ts'
import { confirmationMail } from '../confirm.ts'
import { newMessageId } from '../jobs.ts'
import { messageOf } from '../message.ts'
import { channelChanged } from '../store.ts'
import type { Outcome } from '../types/channel-type.ts'
import { sendMail } from './mail.ts'
import { type Attempt, end, hasSameSettings, later, type Sent, works } from './outcome.ts'
import { send } from './send.ts'

const fewAttempts = 5

/** Sends a test. Once it is accepted, whatever waits for this channel is sent, too. */
export async function sendTest(attempt: Attempt, messageId: string): Promise<Sent> {
  const { channel, context, job } = attempt
  // Its address was changed after the call, and hears nothing before it is confirmed.
  if (!channel.confirmed) return end(job)
  const facts = { id: messageId, kind: 'test' as const, at: context.now(), told: [], count: 0 }
  const message = messageOf(facts, { baseUrl: context.config.baseUrl, zone: 'UTC' })
  return resultOf(attempt, await send(context, channel, message, attempt), 0)
}

/** Mails a link to an address; a new one each time, since it is stored nowhere. */
export async function sendConfirmation(attempt: Attempt): Promise<Sent> {
  const { channel, context, job } = attempt
  if (channel.confirmed) return end(job)
  const mail = await confirmationMail(context, channel)
  if (!mail) return later(job, attempt.now())
  return resultOf(attempt, await sendMail(context.config, mail, newMessageId()), fewAttempts)
}

/** What failed is tried again up to so many times; then its user sees why, unless the settings were corrected meanwhile. */
function resultOf(attempt: Attempt, outcome: Outcome, tries: number): Sent {
  const { job, channel, context, now } = attempt
  if (outcome.kind === 'again') return later(job, now() + outcome.wait)
  const isTriedAgain = (outcome.kind === 'failed' || outcome.kind === 'limited') && job.attempt < tries
  return {
    ...(isTriedAgain ? later(job, now() + minutes(1), job.attempt + 1) : end(job)),
    also: async (tx) => {
      const at = context.now()
      if (outcome.kind === 'accepted') {
        await works(tx, attempt, { last_sent_at: at })
        await context.jobs.hurry(channel.id, at, tx, { skipLocked: true })
      } else if (await hasSameSettings(tx, attempt))
        await tx.updateTable('channel').set({ last_error: outcome.note }).where('id', '=', channel.id).execute()
      return [channelChanged(channel.userId, channel.id)]
    },
  }
}
