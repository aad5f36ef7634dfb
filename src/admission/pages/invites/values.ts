import { days, type Instant } from '../../../shared/time.ts'
import type { AccessLevel, knownTags } from '../../../shared/user.ts'
import type { Fields } from '../../../ui/form/fields.ts'
import type { NewInviteBody } from '../../invites/contract.ts'

export type Life = keyof typeof lives
const lives = { day: days(1), week: days(7), month: days(30) } as const

export const lifeChoices: readonly { value: Life; label: string }[] = [
  { value: 'day', label: '1 day' },
  { value: 'week', label: '7 days' },
  { value: 'month', label: '30 days' },
]

export type Level = `${AccessLevel}`
/** What the form holds; `uses` is as typed. */
export type Values = {
  tools: Level
  admin: Level
  tags: (typeof knownTags)[number][]
  email: string
  uses: string
  life: Life
}

/** Most people are invited to use the tools. */
export const inviteFields: Fields<Values> = {
  tools: { label: 'Tools', blank: '1' },
  admin: { label: 'Admin', blank: '0' },
  tags: { label: 'Tags', blank: [] },
  email: { label: 'Only for this email (optional)', blank: '' },
  uses: { label: 'How many people may use it', blank: '1' },
  life: { label: 'Expires in', blank: 'week' },
}

export const levelOf = (level: Level) => Number(level) as AccessLevel

/** The call's body. One for an email is used once: only one user has it. */
export function bodyOf({ tools, admin, tags, email, uses, life }: Values, now: Instant): NewInviteBody {
  const address = email.trim()
  return {
    roles: { Admin: levelOf(admin), Tools: levelOf(tools) },
    tags,
    ...(address !== '' && { email: address }),
    uses: address === '' ? Number(uses.trim() || Number.NaN) : 1,
    expiresAt: now + lives[life],
  }
}
