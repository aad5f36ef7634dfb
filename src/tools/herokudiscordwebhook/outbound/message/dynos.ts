import * as z from 'zod/mini'
import { type HerokuEvent, part } from '../../inbound/event/event.ts'
import { type Card, toneOf } from './card.ts'
import { Count, change, Words } from './words.ts'

const Dyno = z.object({
  name: Words,
  size: Words,
  exit_status: Count,
  release: part({ version: Count }),
})

const states = new Map<string | undefined, Pick<Card, 'tone' | 'emoji'> & { is: string }>([
  ['starting', { tone: 'busy', emoji: '🟡', is: 'is starting' }],
  ['up', { tone: 'good', emoji: '🟢', is: 'is up' }],
  ['idle', { tone: 'gone', emoji: '💤', is: 'is asleep' }],
  ['down', { tone: 'gone', emoji: '⚪', is: 'is down' }],
  ['crashed', { tone: 'bad', emoji: '💥', is: 'crashed' }],
])
const stopped = { tone: 'gone', emoji: '⚪', is: 'stopped' } as const

/** Exit statuses that stand for a signal. */
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

const Formation = z.object({ type: Words, quantity: Count, size: Words })

export function formationCard({ action, data, previous }: HerokuEvent): Card {
  const now = Formation.parse(data)
  const before = Formation.parse(previous)
  return {
    tone: toneOf(action),
    emoji: '📐',
    title: `${now.type ?? 'dynos'} ${scaled(action, before, now)}`,
    facts: [
      ['Dynos', change(before.quantity, now.quantity)],
      ['Size', change(before.size, now.size)],
    ],
  }
}

type Scale = z.infer<typeof Formation>

function scaled(action: string, before: Scale, now: Scale): string {
  if (action === 'destroy') return 'removed from the formation'
  if (before.quantity === now.quantity || now.quantity === undefined) return 'formation changed'
  if (before.quantity === undefined) return before.size ? 'resized' : `set to ${now.quantity}`
  return `scaled from ${before.quantity} to ${now.quantity}`
}
