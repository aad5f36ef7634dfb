import * as z from 'zod/mini'
import type { HerokuEvent } from '../../inbound/event/event.ts'
import { type Card, toneOf, verbOf } from './card.ts'
import { Count, Words } from './words.ts'

const Endpoint = z.object({ name: Words, cname: Words })

export function endpointCard({ action, data }: HerokuEvent): Card {
  const { name, cname } = Endpoint.parse(data)
  return {
    tone: toneOf(action),
    emoji: '🔒',
    title: `certificate ${verbOf(action)}`,
    facts: [
      ['Endpoint', name],
      ['DNS target', cname],
    ],
  }
}

const Anything = z.object({ name: Words, hostname: Words, description: Words, type: Words, version: Count })

/** For kinds of events that are new: the name and the action, and only what can't be a secret. */
export function otherCard({ entity, action, status, data }: HerokuEvent): Card {
  const { name, hostname, description, type, version } = Anything.parse(data)
  const noun =
    entity
      .replace(/^api:/, '')
      .replace(/[\W_]+/g, ' ')
      .trim() || 'something'
  return {
    tone: toneOf(action),
    emoji: '🔔',
    title: `${noun} ${verbOf(action, { update: 'changed' })}`,
    description,
    facts: [
      ['Name', name ?? hostname],
      ['Type', type],
      ['Status', status?.replaceAll('_', ' ')],
      ['Version', version?.toString()],
    ],
  }
}
