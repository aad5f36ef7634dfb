import * as z from 'zod/mini'
import { type HerokuEvent, maybe, part } from '../../inbound/event/event.ts'
import { type Card, toneOf, verbOf } from './card.ts'
import { change, Words } from './words.ts'

const App = z.object({
  name: Words,
  maintenance: maybe(z.boolean()),
  region: part({ name: Words }),
  build_stack: part({ name: Words }),
  stack: part({ name: Words }),
})
type App = z.infer<typeof App>

export function appCard({ action, data, previous }: HerokuEvent): Card {
  const now = App.parse(data)
  const before = App.parse(previous)
  return {
    ...appHead(action, before, now),
    facts: [
      ['Name', action === 'update' && before.name ? change(before.name, now.name) : undefined],
      ['Region', now.region?.name],
      ['Stack', change(before.stack?.name, now.stack?.name)],
    ],
  }
}

function appHead(action: string, before: App, now: App): Pick<Card, 'tone' | 'emoji' | 'title'> {
  if (action === 'create') return { tone: 'good', emoji: '✨', title: 'app created' }
  if (action === 'destroy') return { tone: 'gone', emoji: '🗑️', title: 'app deleted' }
  if (before.name && before.name !== now.name) return { tone: 'quiet', emoji: '✏️', title: 'app renamed' }
  if (before.maintenance === false && now.maintenance)
    return { tone: 'busy', emoji: '🚧', title: 'maintenance mode on' }
  if (before.maintenance && now.maintenance === false)
    return { tone: 'good', emoji: '✅', title: 'maintenance mode off' }
  return { tone: 'quiet', emoji: '⚙️', title: 'app changed' }
}

const Collaborator = z.object({ role: Words })

/** Doesn't say who it is: Heroku knows people only by their email addresses. */
export function collaboratorCard({ action, data, previous }: HerokuEvent): Card {
  const [now, before] = [data, previous].map((fields) => Collaborator.parse(fields).role)
  return {
    tone: toneOf(action),
    emoji: '👥',
    title: `collaborator ${verbOf(action, { update: 'changed' })}`,
    facts: [['Role', change(before, now)]],
  }
}

const Domain = z.object({ hostname: Words, cname: Words, kind: Words })

export function domainCard({ action, status, data }: HerokuEvent): Card {
  const { hostname, cname, kind } = Domain.parse(data)
  const failed = status === 'failed'
  return {
    tone: failed ? 'bad' : toneOf(action),
    emoji: failed ? '❌' : '🌐',
    title: `domain ${failed ? 'failed' : verbOf(action)}`,
    description: hostname,
    facts: [
      ['DNS target', cname],
      ['Kind', kind],
      ['Status', failed || status === 'none' ? undefined : status],
    ],
  }
}
