import css from '../../people/pages/admin.module.css'
import { providerName } from '../../people/pages/provider-link.ts'
import { partsOf } from '../../shared/list-terms.ts'
import { accountStatuses, Blocked, rolesInWords } from '../../shared/user.ts'
import { type Look, StatusPill, Tag } from '../../ui/components/pill.tsx'
import type { Profiles } from '../../ui/data/server-config.ts'
import { type Column, columnsOf } from '../../ui/table/column.ts'
import { type ListedUser, type UserKind, userColumnTerms } from '../contract.ts'

/** A text and its mark, which stays where the text is truncated. */
const Marked = ({ text, look, mark }: { text: string; look: Look; mark: string }) => (
  <span className={css.marked}>
    <span>{text}</span> <StatusPill look={look} text={mark} />
  </span>
)

const looks: Readonly<Record<number, Look>> = { 0: 'bad', 1: 'off', 2: 'ok' }
const statusText = ({ status }: ListedUser) =>
  Object.entries(accountStatuses).find(([level]) => Number(level) === status)?.[1] ?? 'Unknown'

const Status = ({ user }: { user: ListedUser }) => {
  const pill = <StatusPill look={looks[user.status] ?? 'off'} text={statusText(user)} dot />
  if (!user.waiting) return pill
  return (
    <span className={css.marked}>
      {pill} <StatusPill look="busy" text="Waiting" />
    </span>
  )
}

/** Whether each part between commas is contained in one of these words. */
const haveParts = (words: readonly string[], query: string) => {
  const parts = partsOf(query)
  return parts.length > 0 && parts.every((part) => words.some((word) => word.toLowerCase().includes(part)))
}
const inWords = (words: readonly string[]) => words.join(', ') || '–'

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return '–'
  return (
    <span className={css.marked}>
      {tags.map((tag) => (
        <Tag key={tag} text={tag} />
      ))}
    </span>
  )
}

/** Narrowed by the chips above the list. */
const kind: Column<ListedUser> = {
  key: 'show',
  title: 'Kind',
  search: 'equals',
  unseen: (query) => Object.hasOwn(kinds, query),
  value: () => null,
  text: () => '',
  means: (user, query) => kindOf[query as UserKind]?.(user) ?? false,
}

const columnOrder = [
  'id',
  'lastUsageTimestamp',
  'name',
  'email',
  'status',
  'roles',
  'tags',
  'providers',
  'lastSignInAt',
] as const

/** The columns of the list; `profiles` tell what providers are called. */
export function userColumns(profiles: Profiles): readonly Column<ListedUser>[] {
  const names = ({ providerIds }: ListedUser) => providerIds.map((id) => providerName(profiles, id))
  const column = columnsOf<ListedUser, keyof typeof userColumnTerms>(userColumnTerms, {
    id: { value: (user) => user.id, show: (user) => <code>{user.id}</code> },
    lastUsageTimestamp: { value: (user) => user.lastUsageTimestamp, never: 'Never used' },
    name: {
      lead: true,
      value: (user) => user.name,
      show: ({ name, secondFactor }) => (secondFactor ? <Marked text={name} look="ok" mark="Two-step" /> : name),
    },
    email: {
      value: (user) => user.email,
      show: ({ email, emailVerified }) =>
        emailVerified ? email : <Marked text={email} look="off" mark="Unverified" />,
    },
    status: { value: statusText, show: (user) => <Status user={user} /> },
    roles: { value: ({ roles }) => roles.Admin * 3 + roles.Tools, text: ({ roles }) => rolesInWords(roles) },
    tags: {
      wide: true,
      value: ({ tags }) => JSON.stringify(tags),
      text: ({ tags }) => inWords(tags),
      means: ({ tags }, query) => haveParts(tags, query),
      show: ({ tags }) => <Tags tags={tags} />,
    },
    providers: {
      wide: true,
      value: ({ providerIds }) => providerIds[0] ?? null,
      text: (user) => inWords(names(user)),
      means: (user, query) => haveParts(names(user), query),
    },
    lastSignInAt: { wide: true, value: (user) => user.lastSignInAt, never: 'Never signed in' },
  })
  return [...columnOrder.map((key) => column(key)), kind]
}

/** Only in files. */
export const usernameColumn: Column<ListedUser> = {
  key: 'credUsername',
  title: 'Username',
  search: 'equals',
  value: (user) => user.credUsername,
  text: (user) => user.credUsername ?? '',
}

/** What the list can be narrowed to, as the chips above it say. */
export const kinds: Record<UserKind, string> = {
  waiting: 'Waiting',
  noRole: 'No role',
  blocked: 'Blocked',
  admins: 'Admins',
  unverified: 'Unverified',
}

/** Whether a user is of a kind: the same as the server finds. */
const kindOf: Record<UserKind, (user: ListedUser) => boolean> = {
  waiting: (user) => user.waiting,
  noRole: ({ roles }) => roles.Admin === 0 && roles.Tools === 0,
  blocked: ({ status }) => status === Blocked,
  admins: ({ roles }) => roles.Admin > 0,
  unverified: ({ emailVerified }) => !emailVerified,
}
