import type { Job, Verdict } from '../platform/jobs/job.ts'
import type { Task } from '../platform/jobs/worker/worker.ts'
import { type DeliveryContext, deliverByChannel } from './channels/sending/deliver.ts'
import { end, type Sent } from './channels/sending/outcome.ts'
import { channelOf, payloadOf } from './jobs.ts'
import { answerForgotten, deliverMail } from './mail.ts'

/** The tasks of jobs that send something to users, prepared by one query. */
export async function prepareDeliveries(
  context: DeliveryContext,
  jobs: readonly Job[],
): Promise<Map<string, Task<Sent> | Verdict>> {
  const { db } = context
  const channels = jobs.flatMap((job) => channelOf(job) ?? [])
  const rows =
    channels.length === 0
      ? []
      : await db.q.selectFrom('channel').select(['id', 'user_id']).where('id', 'in', channels).execute()
  const owners = new Map(rows.map((row) => [row.id, row.user_id]))

  function taskOf(job: Job): Task<Sent> | Verdict {
    const payload = payloadOf(job)
    // All call the same server, which is called by two at once.
    if ('mail' in payload) {
      const run: Task<Sent>['run'] = (running) => deliverMail(context, job, payload.mail, running)
      return { target: 'mail server', ownerId: 'mails', run }
    }
    if ('email' in payload)
      return {
        target: 'forgotten passwords',
        ownerId: 'mails',
        run: () => answerForgotten(context, job, payload.email),
      }
    const ownerId = owners.get(payload.channel)
    if (ownerId === undefined) return end(job).verdict
    const run: Task<Sent>['run'] = (running) => deliverByChannel(context, job, payload, running)
    return { target: `channel ${payload.channel}`, ownerId, run }
  }

  return new Map(jobs.map((job) => [job.id, taskOf(job)]))
}
