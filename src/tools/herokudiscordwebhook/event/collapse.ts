import * as z from 'zod/mini'
import { minutes } from '../../../shared/time.ts'
import { type HerokuEvent, maybe } from './event.ts'
import { shortKey } from './event-ids.ts'
import { redactPayload } from './redact.ts'

/** Heroku sends some events twice with different ids; equal keys within this time are one event. */
export const collapseWithin = minutes(10)

const Compared = z.object({ id: maybe(z.string().check(z.maxLength(200))), version: maybe(z.number()) })

/** Events whose news is their status: a release succeeds once. */
const knownByStatus = new Set(['api:build', 'api:release', 'api:dyno', 'dyno'])

/** Also news while a deploy is one card: a build whose release is known now, a release that is current no longer. */
const isPartOfCard = ({ entity }: HerokuEvent) => entity === 'api:build' || entity === 'api:release'

/** Equal for events of an entry that say the same; undefined if an event can't be compared. */
export function collapseKeyOf(
  event: HerokuEvent,
  entryId: string,
  { card }: { card: boolean } = { card: false },
): string | undefined {
  const { id, version } = Compared.parse(event.data)
  if (id === undefined) return undefined
  const { entity, status } = event
  const parts = [entryId, entity, id, status ?? null, version ?? null]
  if (!knownByStatus.has(entity) || (card && isPartOfCard(event))) return keyOf([...parts, digestOf(event)])
  return status === undefined && version === undefined ? undefined : keyOf(parts)
}

const keyOf = (parts: unknown[]) => shortKey(JSON.stringify(parts))

/** Everything must be equal: an add-on keeps its state when its plan changes, a removed domain the status it had. */
const digestOf = ({ action, data, previous }: HerokuEvent) =>
  redactPayload({ action, previous, data }, { showActor: false })
