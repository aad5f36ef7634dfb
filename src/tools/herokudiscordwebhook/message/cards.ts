import * as z from 'zod/mini'
import { type HerokuEvent, maybe, maybeObject } from '../event/event.ts'
import { type Card, Count, formatChange, type Head, SafeText, toneOf, verbOf } from './card.ts'

const App = z.object({
  name: SafeText,
  maintenance: maybe(z.boolean()),
  region: maybeObject({ name: SafeText }),
  build_stack: maybeObject({ name: SafeText }),
  stack: maybeObject({ name: SafeText }),
  owner: maybeObject({ id: SafeText }),
  team: maybeObject({ name: SafeText }),
})
type App = z.infer<typeof App>

export function appCard({ action, data, previous }: HerokuEvent): Card {
  const now = App.parse(data)
  const before = App.parse(previous)
  return {
    ...appHead(action, before, now),
    facts: [
      ['Name', action === 'update' && before.name ? formatChange(before.name, now.name) : undefined],
      ['Region', now.region?.name],
      ['Stack', formatChange(before.stack?.name, now.stack?.name)],
      ['Team', formatChange(before.team?.name, now.team?.name)],
    ],
  }
}

function appHead(action: string, before: App, now: App): Head {
  if (action === 'create') return { tone: 'good', emoji: '✨', title: 'app created' }
  if (action === 'destroy') return { tone: 'gone', emoji: '🗑️', title: 'app deleted' }
  if (before.name && before.name !== now.name) return { tone: 'quiet', emoji: '✏️', title: 'app renamed' }
  if (before.owner?.id && before.owner.id !== now.owner?.id)
    return { tone: 'quiet', emoji: '🤝', title: 'app transferred' }
  if (before.maintenance === false && now.maintenance)
    return { tone: 'busy', emoji: '🚧', title: 'maintenance mode on' }
  if (before.maintenance && now.maintenance === false)
    return { tone: 'good', emoji: '✅', title: 'maintenance mode off' }
  return { tone: 'quiet', emoji: '⚙️', title: 'app changed' }
}

const Collaborator = z.object({ role: SafeText })

/** Doesn't name the collaborator, whom Heroku identifies only by an email address. */
export function collaboratorCard({ action, data, previous }: HerokuEvent): Card {
  const [now, before] = [data, previous].map((fields) => Collaborator.parse(fields).role)
  return {
    tone: toneOf(action),
    emoji: '👥',
    title: `collaborator ${verbOf(action, { update: 'changed' })}`,
    facts: [['Role', formatChange(before, now)]],
  }
}

const Domain = z.object({ hostname: SafeText, cname: SafeText, kind: SafeText })

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

const Addon = z.object({
  name: SafeText,
  addon_service: maybeObject({ name: SafeText }),
  plan: maybeObject({ name: SafeText }),
})

export function addonCard({ action, status, data, previous }: HerokuEvent): Card {
  const { name, addon_service, plan } = Addon.parse(data)
  return {
    ...addonHead(action, status),
    description: name,
    facts: [
      ['Service', addon_service?.name],
      ['Plan', formatChange(Addon.parse(previous).plan?.name, plan?.name)],
      ['Status', action === 'destroy' ? undefined : status],
    ],
  }
}

function addonHead(action: string, status: string | undefined): Head {
  if (action === 'destroy' || status === 'deprovisioned') return { tone: 'gone', emoji: '🧩', title: 'add-on removed' }
  if (action === 'create' && status === 'provisioning')
    return { tone: 'busy', emoji: '⏳', title: 'add-on is being set up' }
  return { tone: 'quiet', emoji: '🧩', title: `add-on ${verbOf(action)}` }
}

const Attachment = z.object({ name: SafeText, addon: maybeObject({ name: SafeText }) })

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

const Dyno = z.object({
  name: SafeText,
  size: SafeText,
  exit_status: Count,
  release: maybeObject({ version: Count }),
})

const states = new Map<string | undefined, Omit<Head, 'title'> & { is: string }>([
  ['starting', { tone: 'busy', emoji: '🟡', is: 'is starting' }],
  ['up', { tone: 'good', emoji: '🟢', is: 'is up' }],
  ['idle', { tone: 'gone', emoji: '💤', is: 'is asleep' }],
  ['down', { tone: 'gone', emoji: '⚪', is: 'is down' }],
  ['crashed', { tone: 'bad', emoji: '💥', is: 'crashed' }],
])
const stopped = { tone: 'gone', emoji: '⚪', is: 'stopped' } as const

/** Exit statuses caused by a signal. */
const signals = new Map([
  [137, 'killed'],
  [143, 'asked to stop'],
])

const formatExit = (code: number | undefined) => {
  if (code === undefined) return undefined
  const signal = signals.get(code)
  return signal ? `${code} (${signal})` : `${code}`
}

export function dynoCard({ action, status, data }: HerokuEvent): Card {
  const { name = 'dyno', size, exit_status, release } = Dyno.parse(data)
  const state = states.get(status) ?? { tone: 'quiet', emoji: '⚙️', is: status ? `is ${status}` : 'changed' }
  const { is, ...head } = action === 'destroy' && status !== 'crashed' ? stopped : state
  return {
    ...head,
    title: `${name} ${is}`,
    facts: [
      ['Exit status', formatExit(exit_status)],
      ['Release', release?.version === undefined ? undefined : `v${release.version}`],
      ['Size', size],
    ],
  }
}

const Formation = z.object({ type: SafeText, quantity: Count, size: SafeText })

export function formationCard({ action, data, previous }: HerokuEvent): Card {
  const now = Formation.parse(data)
  const before = Formation.parse(previous)
  return {
    tone: toneOf(action),
    emoji: '📐',
    title: `${now.type ?? 'dynos'} ${describeScaling(action, before, now)}`,
    facts: [
      ['Dynos', formatChange(before.quantity, now.quantity)],
      ['Size', formatChange(before.size, now.size)],
    ],
  }
}

type Scale = z.infer<typeof Formation>

function describeScaling(action: string, before: Scale, now: Scale): string {
  if (action === 'destroy') return 'removed from the formation'
  if (before.quantity === now.quantity || now.quantity === undefined) return 'formation changed'
  if (before.quantity === undefined) return before.size ? 'resized' : `set to ${now.quantity}`
  return `scaled from ${before.quantity} to ${now.quantity}`
}

const Endpoint = z.object({ name: SafeText, cname: SafeText })

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

const Anything = z.object({ name: SafeText, hostname: SafeText, description: SafeText, type: SafeText, version: Count })

/** The card for unknown kinds of events: the name, the action, and only fields that can't be secret. */
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
