import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod/mini'
import { changed } from '../../../entries/edit.ts'
import { hotRoute } from '../../../platform/http/hot-route.ts'
import type { App } from '../../../platform/http/server.ts'
import type { Kit } from '../../../platform/kit.ts'
import { Fault, notFound } from '../../../shared/fault.ts'
import { herokudiscordwebhook } from '../contract.ts'
import { relayStore } from '../queue/store.ts'
import { acceptor } from './accept.ts'
import { type Endpoint, endpoints } from './endpoint.ts'
import { parseEvent } from './event.ts'
import type { NextId } from './event-ids.ts'
import { verdictOf } from './filter.ts'
import { redactPayload } from './redact.ts'
import { isSigned } from './signature.ts'

const bodyLimit = 256 * 1_024

/** `POST /hooks/heroku/{token}`: takes what Heroku delivers, and answers once it is on disk. What Discord does meanwhile is none of Heroku's business. */
export function hook(app: App, kit: Kit, nextId: NextId): void {
  const accept = acceptor(kit, nextId)
  const find = endpoints(kit)
  hotRoute(app, {
    method: 'POST',
    prefix: '/hooks/heroku/',
    part: 'token',
    bodyLimit,
    schema: {
      tags: [herokudiscordwebhook.label],
      summary: 'Take an event of Heroku, signed with the secret',
      params: z.object({ token: z.string() }),
      response: { 204: z.null() },
    },
    answer: async ({ part: token, headers, body }) => {
      const entry = await find(token)
      await insistOnSignature(kit, entry, headers, body)
      const raw = jsonOf(body)
      const event = parseEvent(raw)
      if ('problem' in event) throw new Fault(400, event.problem)
      const verdict = verdictOf(entry.filter, event)
      const ignored = entry.resting ?? (verdict.relay ? null : verdict.why)
      const payload = redactPayload(raw, entry)
      if (!(await accept({ entryId: entry.id, event, payload, ignored }))) throw notFound('Hook')
      await settle(kit, entry)
      return { status: 204 }
    },
  })
}

async function insistOnSignature(
  kit: Kit,
  { id, ownerId, secrets }: Endpoint,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
) {
  const given = headers['heroku-webhook-hmac-sha256']
  if (secrets.length === 0) return
  const valid = secrets.flatMap(({ secret, until }) => (until > kit.now() ? [secret] : []))
  if (typeof given === 'string' && isSigned(valid, body, given)) return
  const why = given === undefined ? 'no signature' : 'wrong secret'
  await relayStore(kit.db).countRefused(id, why, kit.now())
  kit.events.publish([changed({ contract: herokudiscordwebhook }, id, ownerId)])
  throw new Fault(
    401,
    given === undefined
      ? 'This endpoint takes signed deliveries only: give Heroku its secret with -s.'
      : 'The signature does not fit: give Heroku the secret of this endpoint with -s.',
  )
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new Fault(400, 'The body is not valid JSON.')
  }
}

/** Remembers the first delivery, forgets those that were refused before this one, and lets the screens know of it. */
async function settle({ db, now, events }: Kit, { id, ownerId, settled }: Endpoint) {
  if (settled) return
  await relayStore(db).settle(id, now())
  events.publish([changed({ contract: herokudiscordwebhook }, id, ownerId)])
}
