import * as z from 'zod/mini'
import { minutes } from '../../../shared/time.ts'
import { type HerokuEvent, maybe } from './event/event.ts'
import { redactPayload } from './event/redact.ts'
import { shortKey } from './event/short-key.ts'

/** Heroku sends some events twice under other ids; equal keys within this time are one event. */
export const collapseWithin = minutes(10)

const Compared = z.object({ id: maybe(z.string().check(z.maxLength(200))), version: maybe(z.number()) })

/** What these tell is their status: one release that has succeeded is one piece of news. */
const toldByStatus = new Set(['api:build', 'api:release', 'api:dyno', 'dyno'])

/** Equal for events of an entry that tell the same; undefined when an event cannot be compared. */
export function collapseKeyOf(event: HerokuEvent, entryId: string): string | undefined {
  const { id, version } = Compared.parse(event.data)
  if (id === undefined) return undefined
  const { entity, status } = event
  const told = [entryId, entity, id, status ?? null, version ?? null]
  if (!toldByStatus.has(entity)) return keyOf([...told, digestOf(event)])
  return status === undefined && version === undefined ? undefined : keyOf(told)
}

const keyOf = (parts: unknown[]) => shortKey(JSON.stringify(parts))

/** An add-on whose plan changes twice keeps its state, a domain that goes has the status it came with: all of it must be equal. */
const digestOf = ({ action, data, previous }: HerokuEvent) =>
  redactPayload({ action, previous, data }, { showActor: false })
