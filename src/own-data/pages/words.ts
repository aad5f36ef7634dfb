import { formatCount } from '../../shared/count.ts'
import type { Summary } from '../contract.ts'

const count = (number: number, one: string, many: string) => `${formatCount(number)} ${number === 1 ? one : many}`

type Counts = { created: number; changed: number; same: number; refused: readonly unknown[] }

/** What an import would do, in a sentence. */
export function planInWords({ created, changed, same, refused }: Counts): string {
  const parts = [
    created > 0 && `${count(created, 'entry', 'entries')} will be created`,
    changed > 0 && `${formatCount(changed)} will be changed`,
    same > 0 && `${formatCount(same)} ${same === 1 ? 'is' : 'are'} the same already`,
    refused.length > 0 && `${count(refused.length, 'line is', 'lines are')} refused`,
  ].filter((part) => part !== false)
  const sentence = [parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and ')
  return `${sentence || 'There is nothing in this file'}.`
}

/** What an import has done. */
export function doneInWords({ created, changed }: Counts): string {
  if (changed === 0) return `Created ${count(created, 'entry', 'entries')}.`
  if (created === 0) return `Changed ${count(changed, 'entry', 'entries')}.`
  return `Created ${count(created, 'entry', 'entries')} and changed ${formatCount(changed)}.`
}

/** What goes with the account, one line each. */
export const lostWith = ({ entries, channels, sessions, apiKeys, more }: Summary): string[] => [
  `${count(entries, 'entry', 'entries')} with ${entries === 1 ? 'its' : 'their'} history`,
  count(channels, 'channel', 'channels'),
  count(apiKeys, 'API key', 'API keys'),
  `${count(sessions, 'session', 'sessions')}, this one included`,
  ...more,
]
