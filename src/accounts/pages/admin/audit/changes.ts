import { accessLevels, accountStatuses, roleNames } from '../../../../shared/user.ts'
import { formatTime } from '../../../../ui/format-time.ts'
import type { AuditEntry, Change } from '../../../audit/contract.ts'

type Value = Change['from']
/** A field's label, the words for its values, and the word for no value. */
type Words = { label: string; word?: (value: number) => string | undefined; none?: string }

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
const levels: Readonly<Record<number, string>> = accessLevels
const statuses: Readonly<Record<number, string>> = accountStatuses
const fields: Readonly<Record<string, Words>> = {
  name: { label: 'Name' },
  email: { label: 'Email' },
  emailVerified: { label: 'Email verified' },
  status: { label: 'Status', word: (status) => statuses[status] },
  tags: { label: 'Tags' },
  credUsername: { label: 'Username' },
  providers: { label: 'Providers' },
  entries: { label: 'Entries' },
  scopes: { label: 'Scopes' },
  expiresAt: { label: 'Expires', word: formatTime, none: 'never' },
  entry: { label: 'Entry' },
  settings: { label: 'Settings' },
  active: { label: 'Active' },
  owner: { label: 'Owner' },
  method: { label: 'With' },
  factor: { label: 'Second step' },
  wrong: { label: 'Wrong password', word: times },
  code: { label: 'Wrong second step', word: times },
  limited: { label: 'Too many attempts', word: times },
  refused: { label: 'Account not active', word: times },
  until: { label: 'Until', word: formatTime },
  sessions: { label: 'Sessions' },
  network: { label: 'Network' },
  leftOut: { label: 'Further ones left out', word: (most) => `after ${most} within a day` },
  type: { label: 'Type' },
  message: { label: 'Message' },
  ...Object.fromEntries(roleNames.map((role) => [`roles.${role}`, { label: role, word: (level) => levels[level] }])),
}

function wordsOf(value: Value, { word, none = 'none' }: Words): string {
  if (value === null || value === '') return none
  if (Array.isArray(value)) return value.join(', ') || none
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return (typeof value === 'number' && word?.(value)) || String(value)
}

/** `Tools: No Access → Full Access; Status: Active → Blocked`; only the old values of a deleted user; an en dash if nothing changed. */
export function changeText({ action, changes }: Pick<AuditEntry, 'action' | 'changes'>): string {
  const sentences = changes.map(({ field, from, to }) => {
    const words = fields[field] ?? { label: field }
    const [before, after] = [wordsOf(from, words), wordsOf(to, words)]
    if (action === 'user.delete') return `${words.label}: ${before}`
    return `${words.label}: ${from === null ? after : `${before} → ${after}`}`
  })
  return sentences.join('; ') || '–'
}
