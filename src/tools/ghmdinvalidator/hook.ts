import * as z from 'zod/mini'
import { addressOf } from '../../entries/address.ts'
import { entryStore } from '../../entries/store.ts'
import type { Queries } from '../../server/db/open.ts'
import { hot } from '../../server/http/guard.ts'
import type { App } from '../../server/http/server.ts'
import type { Kit } from '../../server/kit.ts'
import { notFound } from '../../shared/fault.ts'
import { type Instant, minutes } from '../../shared/time.ts'
import { Active } from '../../shared/user.ts'
import { ghmdinvalidator, HookAnswer } from './contract.ts'

const atMostEvery = minutes(1)
const Params = z.object({ token: z.string().check(z.maxLength(200)) })

/** `POST /hooks/ghmd/{token}`: whoever knows the address starts a run, after a release for instance; once a minute at most. What is sent along is not read. */
export function hook(app: App, kit: Kit): void {
  void app.register(async (hooks: App) => {
    hooks.removeAllContentTypeParsers()
    hooks.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null, undefined))
    hooks.post(
      '/hooks/ghmd/:token',
      { ...hot(), schema: { tags: [ghmdinvalidator.label], params: Params, response: { 202: HookAnswer } } },
      async (request, reply) => {
        const at = await kit.db.q.transaction().execute((on) => plan(kit, on, request.params.token))
        kit.jobs.wake()
        return reply.code(202).send({ at })
      },
    )
  })
}

/** Plans a run and answers when it starts; null when the entry, or its owner, is not active. */
async function plan({ db, jobs, now }: Kit, on: Queries, token: string): Promise<Instant | null> {
  const found = await on
    .selectFrom('entry')
    .innerJoin('users', 'users.id', 'entry.owner_id')
    .select(['entry.id', 'entry.status', 'users.status as ownerStatus'])
    .where('entry.address', '=', addressOf(token))
    .where('entry.tool', '=', ghmdinvalidator.id)
    .executeTakeFirst()
  if (!found) throw notFound('Hook')
  if (found.status !== 1 || found.ownerStatus !== Active) return null
  await entryStore(db, on).hold(found.id)
  const asked = await on
    .selectFrom('job')
    .select(['due_at', 'lease_by'])
    .where('entry_id', '=', found.id)
    .where('id', 'like', 'hook:%')
    .execute()
  // One that has not begun yet will see everything that has happened until now.
  const waiting = asked.find((job) => job.lease_by === null)
  if (waiting) return waiting.due_at
  const entry = await on.selectFrom('entry').select('last_at').where('id', '=', found.id).executeTakeFirstOrThrow()
  const last = Math.max(entry.last_at ?? 0, ...asked.map((job) => job.due_at))
  const at = Math.max(now(), last + atMostEvery)
  await jobs.add({ id: `hook:${found.id}:${at}`, kind: 'now', entryId: found.id, dueAt: at }, on)
  return at
}
