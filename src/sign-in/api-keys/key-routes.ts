import { auditAndNotify } from '../../notices/account-changes.ts'
import { writeAudit } from '../../people/audit/log.ts'
import type { Context } from '../../platform/context.ts'
import { actorOf } from '../../platform/http/access/actor.ts'
import { callerOf, recentProof, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { accessChanged, inboxChanged } from '../../platform/live/events.ts'
import { invalid } from '../../shared/http-error.ts'
import type { Instant } from '../../shared/time.ts'
import type { AuthContext } from '../auth.ts'
import { ownCalls } from '../contract.ts'
import { apiKeysOf, createKey, deleteKey } from './api-keys.ts'

/** 10000-01-01: screens can't show a later date. */
const endOfTime: Instant = Date.UTC(10_000, 0)

/** The calls by which users manage their own API keys; a key itself may use none of them. */
export function keyRoutes(
  app: App,
  { db, now, events, notify }: AuthContext & Pick<Context, 'events' | 'notify'>,
): void {
  const route = routesOf(app, ownCalls, 'Your account')
  route('GET /api/v1/user/apikeys', { ...signedIn('never'), summary: 'List your API keys, newest first' }, (request) =>
    apiKeysOf(db.q, callerOf(request).user.id),
  )

  route(
    'POST /api/v1/user/apikeys',
    {
      ...recentProof(signedIn('never')),
      summary: 'Create an API key; it is shown only once',
      failures: { 409: "You've reached the limit of 50 API keys. Delete one first." },
    },
    async (request) => {
      const { user } = callerOf(request)
      const at = now()
      const { name, scopes, expiresAt } = request.body
      if (expiresAt !== null && expiresAt <= at) throw invalid('expiresAt', 'Choose a time in the future.')
      if (expiresAt !== null && expiresAt >= endOfTime) throw invalid('expiresAt', 'Choose an earlier time, or never.')
      const created = await db.q.transaction().execute(async (tx) => {
        const key = await createKey(db, tx, user.id, request.body, at)
        const changes = [
          { field: 'scopes', from: null, to: scopes },
          { field: 'expiresAt', from: null, to: expiresAt },
        ]
        await auditAndNotify({ notify }, tx, at, user.id, {
          actor: actorOf(request),
          action: 'key.create',
          target: { id: key.id, name },
          changes,
        })
        return key
      })
      events.publish([inboxChanged(user.id)])
      return created
    },
  )

  route(
    'DELETE /api/v1/user/apikeys',
    { ...signedIn('never'), summary: 'Delete an API key', failures: { 404: 'API key not found.' } },
    async (request) => {
      const { user } = callerOf(request)
      const { id } = request.query
      await db.q.transaction().execute(async (tx) => {
        const name = await deleteKey(tx, user.id, id)
        await writeAudit(tx, now(), { actor: actorOf(request), action: 'key.delete', target: { id, name } })
      })
      events.publish([accessChanged(user.id)])
      return { id }
    },
  )
}
