import type { IncomingMessage } from 'node:http'
import * as z from 'zod/mini'
import { createToken } from '../../entries/address.ts'
import { entryChange } from '../../entries/edit/write.ts'
import { entryStore, nowJob } from '../../entries/store.ts'
import { entryChanged } from '../../entries/stored-entry.ts'
import { bodyOf } from '../../platform/body.ts'
import type { Context } from '../../platform/context.ts'
import { hashOf } from '../../platform/crypto/secrets.ts'
import { lockEntry } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { ActingUser } from '../../platform/http/access/actor.ts'
import { anonymous } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { notFound } from '../../shared/http-error.ts'
import { type Instant, minutes } from '../../shared/time.ts'
import { Active } from '../../shared/user.ts'
import { ghmdinvalidator, HookAnswer } from './contract.ts'

const minRunInterval = minutes(1)
/** Bodies are accepted and ignored, up to the same size in bytes as for the webhook relay. */
const bodyLimit = 256 * 1_024
const Params = z.object({ token: z.string() })

/** `POST /hooks/ghmd/{token}`: anyone who knows the URL can start a run, at most once a minute. */
export function hookRoute(app: App, context: Context): void {
  void app.register(async (hooks: App) => {
    hooks.removeAllContentTypeParsers()
    hooks.addHook('onRequest', async ({ headers, params }) => {
      // Accept any content type, even an invalid one.
      if (headers['content-type'] !== undefined) headers['content-type'] = 'application/octet-stream'
      // Don't read the body for an unknown token. A body that is too large is rejected for its size instead.
      if (Number(headers['content-length'] ?? 0) > bodyLimit) return
      const { token } = params as z.infer<typeof Params>
      if (!(await entryAt(context.db.q, token).select('id').executeTakeFirst())) throw notFound('Hook')
    })
    hooks.addContentTypeParser(
      '*',
      async (_request: unknown, body: IncomingMessage) => void (await bodyOf(body, bodyLimit)),
    )
    hooks.post(
      '/hooks/ghmd/:token',
      {
        ...anonymous(),
        bodyLimit,
        schema: {
          tags: [ghmdinvalidator.label],
          summary: 'Start a run after a release',
          failures: [404],
          params: Params,
          response: { 202: HookAnswer },
        },
      },
      async (request, reply) => {
        const at = await transact(context.db, (tx) => plan(context, tx, request.params.token))
        context.jobs.wake()
        return reply.code(202).send({ at })
      },
    )
  })
}

const entryAt = (q: Queries, token: string) =>
  q.selectFrom('entry').where('address', '=', hashOf(token)).where('tool', '=', ghmdinvalidator.id)

/** Plans a run and returns when it starts; null if the entry or its owner is not active. */
async function plan({ db, jobs, now }: Context, tx: Queries, token: string): Promise<Instant | null> {
  const entries = entryAt(tx, token)
  const entry = await entries.select('id').executeTakeFirst()
  if (entry) await lockEntry(db, tx, entry.id)
  // The entry may have been deleted before it was locked.
  const found = await entries
    .innerJoin('users', 'users.id', 'entry.owner_id')
    .select(['entry.id', 'entry.status', 'entry.last_at', 'users.status as ownerStatus'])
    .executeTakeFirst()
  if (!found) throw notFound('Hook')
  if (found.status !== 1 || found.ownerStatus !== Active) return null
  const plannedJobs = await tx
    .selectFrom('job')
    .select(['due_at', 'lease_by'])
    .where('entry_id', '=', found.id)
    .where('kind', '=', 'now')
    .where('id', '<>', nowJob(found.id))
    .execute()
  // A run that hasn't started will see every change so far.
  const waitingJob = plannedJobs.find((job) => job.lease_by === null)
  if (waitingJob) return waitingJob.due_at
  const plannedAt = now()
  // A run with a future time began before the clock was set back.
  const last = Math.min(plannedAt, Math.max(found.last_at ?? 0, ...plannedJobs.map((job) => job.due_at)))
  const at = Math.max(plannedAt, last + minRunInterval)
  await jobs.add({ id: `hook:${found.id}:${at}`, kind: 'now', entryId: found.id, dueAt: at, plannedAt }, tx)
  return at
}

const StoredToken = z.object({ token: z.string() })

export const hookUrlOf = (stored: unknown, { config, secrets }: Pick<Context, 'config' | 'secrets'>): string =>
  `${config.baseUrl}/hooks/ghmd/${secrets.open(StoredToken.parse(stored).token)}`

/** Gives an entry's hook a new URL; the old one stops working immediately. Throws a 404. */
export async function renewHook(context: Context, by: ActingUser, id: string): Promise<string> {
  const { address, sealed } = createToken(context)
  const ownerId = await transact(context.db, async (tx) => {
    const entries = entryStore(context.db, tx)
    await lockEntry(context.db, tx, id)
    const { name, settings, ownerId, owner } = await entries.get(ghmdinvalidator.id, id, by.user)
    await tx
      .updateTable('entry')
      .set({ address, settings: JSON.stringify({ ...Object(settings), ...sealed }) })
      .where('id', '=', id)
      .execute()
    await context.audit(tx, {
      actor: by.actor,
      action: 'hook.renew',
      target: { id: ownerId, name: owner },
      changes: [entryChange(ghmdinvalidator.noun, { id, name })],
    })
    return ownerId
  })
  context.events.publish([entryChanged(ghmdinvalidator.id, id, ownerId)])
  return hookUrlOf(sealed, context)
}
