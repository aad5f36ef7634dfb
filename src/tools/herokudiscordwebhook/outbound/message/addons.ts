import * as z from 'zod/mini'
import { type HerokuEvent, part } from '../../inbound/event/event.ts'
import { type Card, toneOf, verbOf } from './card.ts'
import { change, Words } from './words.ts'

const Addon = z.object({ name: Words, addon_service: part({ name: Words }), plan: part({ name: Words }) })

export function addonCard({ action, status, data, previous }: HerokuEvent): Card {
  const { name, addon_service, plan } = Addon.parse(data)
  return {
    ...addonHead(action, status),
    description: name,
    facts: [
      ['Service', addon_service?.name],
      ['Plan', change(Addon.parse(previous).plan?.name, plan?.name)],
      ['Status', action === 'destroy' ? undefined : status],
    ],
  }
}

function addonHead(action: string, status: string | undefined): Pick<Card, 'tone' | 'emoji' | 'title'> {
  if (action === 'destroy' || status === 'deprovisioned') return { tone: 'gone', emoji: '🧩', title: 'add-on removed' }
  if (action === 'create' && status === 'provisioning')
    return { tone: 'busy', emoji: '⏳', title: 'add-on is being set up' }
  return { tone: 'quiet', emoji: '🧩', title: `add-on ${verbOf(action)}` }
}

const Attachment = z.object({ name: Words, addon: part({ name: Words }) })

export function attachmentCard({ action, data }: HerokuEvent): Card {
  const { name, addon } = Attachment.parse(data)
  return {
    tone: toneOf(action),
    emoji: '🔗',
    title: `add-on ${verbOf(action, { create: 'attached', destroy: 'detached' })}`,
    description: addon?.name,
    facts: [['As', name]],
  }
}
