import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type NotNull, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import * as z from 'zod/mini'
import { entryChanged } from '../../entries/stored-entry.ts'
import { parseJson } from '../../platform/body.ts'
import type { Context } from '../../platform/context.ts'
import { hashOf } from '../../platform/crypto/secrets.ts'
import { lookUp } from '../../platform/db/look-up.ts'
import type { App } from '../../platform/http/app.ts'
import { fastPath } from '../../platform/http/connection/fast-path.ts'
import { HttpError, notFound } from '../../shared/http-error.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { Active } from '../../shared/user.ts'
import { acceptor } from './accept.ts'
import { herokudiscordwebhook, tooManyWait } from './contract.ts'
import { dropReason, parseEvent } from './event/event.ts'
import { redactPayload } from './event/redact.ts'
import { type NextId, relayStore } from './queue/store.ts'
import { type DecryptedSettings, openForArrivals } from './secrets.ts'

/** Allows more than the 30 characters of a Heroku app name. */
const appName = /^[\w.-]{1,60}$/
const bodyLimit = 256 * 1_024
/** How long Heroku should wait before it redelivers to a full entry. */
const fullFor = minutes(5)

/** Registers `POST /hooks/heroku/{token}`, which answers once an event is on disk, without waiting for Discord. */
export function hookRoute(app: App, context: Context, nextId: NextId): void {
  const accept = acceptor(context, nextId)
  const find = endpoints(context)
  fastPath(app, {
    method: 'POST',
    prefix: '/hooks/heroku/',
    part: 'token',
    bodyLimit,
    checkPart: find,
    schema: {
      tags: [herokudiscordwebhook.label],
      summary: 'Accept an event from Heroku, signed with the secret',
      description: 'Answers 429 with Retry-After while the entry is full of undelivered events.',
      failures: [401, 404, 413, 429],
      params: z.object({ token: z.string() }),
      response: { 204: z.null() },
    },
    answer: async ({ part: token, headers, body }) => {
      const entry = await find(token)
      await checkSignature(context, entry, headers, body)
      const raw = parseJson(body)
      if (raw === undefined) throw new HttpError(400, 'The body is not valid JSON.')
      const event = parseEvent(raw)
      if ('problem' in event) throw new HttpError(400, event.problem)
      const ignored = entry.pausedBecause ?? dropReason(entry.filter, event)
      const payload = redactPayload(raw, entry)
      const accepted = await accept({ entryId: entry.id, event, payload, ignored, card: entry.card })
      if (accepted === 'gone') throw notFound('Hook')
      if (accepted === 'full') {
        await recordRejection(context, entry, tooManyWait)
        // Heroku keeps the event and delivers it again later.
        const why = 'Too many events from this endpoint are waiting for Discord. Deliver this one again later.'
        throw new HttpError(429, why, { retryAfter: fullFor / seconds(1) })
      }
      await recordConnection(context, entry, event.app.name)
      return { status: 204 }
    },
  })
}

async function checkSignature(
  context: Context,
  { id, ownerId, secrets }: Endpoint,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
) {
  const signature = headers['heroku-webhook-hmac-sha256']
  if (secrets.length === 0) return
  const valid = secrets.flatMap(({ secret, until }) => (until > context.now() ? [secret] : []))
  if (typeof signature === 'string' && isSigned(valid, body, signature)) return
  await recordRejection(context, { id, ownerId }, signature === undefined ? 'no signature' : 'wrong secret')
  throw new HttpError(
    401,
    signature === undefined
      ? 'This endpoint only accepts signed deliveries. Set its secret in Heroku with -s.'
      : "The signature doesn't match. Set this endpoint's secret in Heroku with -s.",
  )
}

async function recordRejection(context: Context, { id, ownerId }: Pick<Endpoint, 'id' | 'ownerId'>, why: string) {
  await relayStore(context.db).countRejected(id, why, context.now())
  context.events.publish([entryChanged(herokudiscordwebhook.id, id, ownerId)])
}

/** Records the first delivery and the app's name, resets the count of rejected deliveries, and updates open screens. */
async function recordConnection(
  { db, now, events }: Context,
  { id, ownerId, isConnected, isNamed }: Endpoint,
  name: string | undefined,
) {
  const app = !isNamed && name !== undefined && appName.test(name) ? name : undefined
  if (isConnected && app === undefined) return
  await relayStore(db).recordConnection(id, now(), app)
  events.publish([entryChanged(herokudiscordwebhook.id, id, ownerId)])
}

/** The value of the Heroku-Webhook-Hmac-SHA256 header for this body, in base64. */
export const signatureOf = (secret: string, body: Uint8Array): string =>
  createHmac('sha256', secret).update(body).digest('base64')

/** Whether one of these secrets signed the body. Takes the same time for a wrong signature. */
export function isSigned(secrets: readonly string[], body: Uint8Array, signature: string): boolean {
  const actual = Buffer.from(signature)
  const expected = secrets.map((secret) => Buffer.from(signatureOf(secret, body)))
  return expected.filter((one) => one.length === actual.length && timingSafeEqual(one, actual)).length > 0
}

/** `pausedBecause`: why nothing is forwarded. `isConnected`: the last delivery was accepted. `isNamed`: app known. */
type Endpoint = DecryptedSettings & {
  id: string
  ownerId: string
  pausedBecause: string | null
  isConnected: boolean
  isNamed: boolean
}

const maxCachedEntries = 1_000

/** Returns a function that finds the entry of an endpoint's token, and throws a 404 for an unknown one. */
function endpoints(context: Pick<Context, 'db' | 'secrets'>): (token: string) => Promise<Endpoint> {
  const ask = lookUp(context.db, (isAsked) =>
    context.db.q
      .selectFrom('entry')
      .innerJoin('users', 'users.id', 'entry.owner_id')
      .innerJoin('relay', 'relay.entry_id', 'entry.id')
      .select([
        'entry.id',
        'entry.owner_id',
        'entry.settings',
        'entry.status',
        'entry.about',
        'relay.connected_at',
        'relay.refused',
      ])
      .select(['users.status as owner_status', 'entry.address as asked'])
      .where(isAsked('entry.address'))
      .where('entry.tool', '=', sql.lit(herokudiscordwebhook.id))
      .$narrowType<{ asked: NotNull }>(),
  )
  const open = cachedOpen(context)
  return async (token) => {
    const row = await ask(hashOf(token))
    if (!row) throw notFound('Hook')
    return {
      ...open(row.id, row.settings),
      id: row.id,
      ownerId: row.owner_id,
      pausedBecause: pauseReason(row.status === 1, row.owner_status === Active),
      isNamed: row.about !== '',
      isConnected: row.connected_at !== null && row.refused === 0,
    }
  }
}

function pauseReason(active: boolean, ownerActive: boolean): string | null {
  if (!active) return 'the entry is inactive'
  return ownerActive ? null : "the owner's account is not active"
}

/** Caches decrypted settings until they change: decryption takes longer than the rest of a lookup. */
function cachedOpen(context: Pick<Context, 'secrets'>): (id: string, settings: string) => DecryptedSettings {
  const cache = new LRUCache<string, { settings: string; opened: DecryptedSettings }>({ max: maxCachedEntries })
  return (id, settings) => {
    const before = cache.get(id)
    if (before?.settings === settings) return before.opened
    const opened = openForArrivals(JSON.parse(settings), context)
    cache.set(id, { settings, opened })
    return opened
  }
}
