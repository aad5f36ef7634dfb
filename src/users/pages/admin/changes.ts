import { accessLevels, accountStatuses, roleNames } from '../../../shared/user.ts'
import type { Change } from '../../audit/contract.ts'

type Value = Change['from']
type Words = { label: string; values?: Readonly<Record<string, string>> }

const fields: Readonly<Record<string, Words>> = {
  name: { label: 'Name' },
  email: { label: 'Email' },
  status: { label: 'Status', values: accountStatuses },
  tags: { label: 'Tags' },
  credUsername: { label: 'Username' },
  providers: { label: 'Providers' },
  ...Object.fromEntries(roleNames.map((role) => [`roles.${role}`, { label: role, values: accessLevels }])),
}

function wordsOf(value: Value, { values }: Words): string {
  if (value === null || value === '') return 'none'
  if (Array.isArray(value)) return value.join(', ') || 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return values?.[value] ?? String(value)
}

function sentence({ field, from, to }: Change): string {
  const words = fields[field] ?? { label: field }
  const became = wordsOf(to, words)
  return `${words.label}: ${from === null ? became : `${wordsOf(from, words)} → ${became}`}`
}

/** `Tools: No Access → Full Access; Status: Active → Blocked`; an en dash when nothing changed. */
export const changeText = (changes: readonly Change[]): string => changes.map(sentence).join('; ') || '–'
