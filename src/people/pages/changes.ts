import { accessLevels, accountStatuses, roleNames } from '../../shared/user.ts'
import { formatTime } from '../../ui/format-time.ts'
import type { AuditEntry, Change } from '../audit/contract.ts'
import { providerCatalogue } from '../contract.ts'

type Value = Change['from']
/** The label of a field, how to label its values or that they are provider accounts, and the label for no value. */
type Words = {
  label: string
  word?: (value: number) => string | undefined
  account?: true
  none?: string
}

const providers = providerCatalogue({ discordUrl: '', githubUrl: '' })
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
  providers: { label: 'Providers', account: true },
  passkey: { label: 'Passkey' },
  passkeys: { label: 'Passkeys' },
  entries: { label: 'Entries' },
  scopes: { label: 'Scopes' },
  expiresAt: { label: 'Expires', word: formatTime, none: 'never' },
  entry: { label: 'Entry' },
  invitation: { label: 'Invitation' },
  uses: { label: 'Uses' },
  used: { label: 'Used' },
  settings: { label: 'Settings' },
  'notify after': { label: 'Notify after' },
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
  lastAdmin: { label: 'Last admin kept, although the provider says', word: (level) => levels[level] },
  leftOut: { label: 'Further ones left out', word: (most) => `after ${most} within a day` },
  channel: { label: 'Channel' },
  address: { label: 'Address' },
  urls: { label: 'URLs shown' },
  type: { label: 'Type' },
  message: { label: 'Message' },
  created: { label: 'Created' },
  changed: { label: 'Changed' },
  tag: { label: 'Tag' },
  views: { label: 'Views' },
  base: { label: 'Base' },
  hidden: { label: 'Number hidden' },
  ...Object.fromEntries(roleNames.map((role) => [`roles.${role}`, { label: role, word: (level) => levels[level] }])),
}

/** Returns `GitHub octo` for `002_Github octo`, the form in the log. */
function nameOfAccount(account: string): string {
  const [id = '', ...rest] = account.split(' ')
  return [providers[id]?.name ?? id, ...rest].join(' ')
}

function wordsOf(value: Value, words: Words): string {
  const { word, account, none = 'none' } = words
  if (value === null || value === '') return none
  if (Array.isArray(value)) return value.map((one) => wordsOf(one, words)).join(', ') || none
  if (account && typeof value === 'string') return nameOfAccount(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return (typeof value === 'number' && word?.(value)) || String(value)
}

/** Such as `Status: Active → Blocked`. A deletion shows only old values; no change gives an en dash. */
export function changeText({ action, changes }: Pick<AuditEntry, 'action' | 'changes'>): string {
  const sentences = changes.map(({ field, from, to }) => {
    const words = fields[field] ?? { label: field }
    const [before, after] = [wordsOf(from, words), wordsOf(to, words)]
    if (action === 'user.delete' || action === 'passkey.delete' || action === 'provider.unlink')
      return `${words.label}: ${before}`
    return `${words.label}: ${from === null ? after : `${before} → ${after}`}`
  })
  return sentences.join('; ') || '–'
}
