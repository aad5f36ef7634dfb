import css from '../../../people/pages/admin.module.css'
import { providerName } from '../../../people/pages/provider-link.ts'
import { accountStatuses, Blocked, rolesInWords } from '../../../shared/user.ts'
import { partsOf } from '../../../shared/words.ts'
import { type Look, StatusPill, Tag } from '../../../ui/components/pill.tsx'
import type { Profiles } from '../../../ui/data/server-config.ts'
import { formatAge, formatTime, inZone } from '../../../ui/format-time.ts'
import type { Column } from '../../../ui/table/column.ts'
import type { ListedUser, UserKind } from '../../contract.ts'

const identity: readonly Column<ListedUser>[] = [
  {
    key: 'id',
    title: 'User ID',
    filter: 'fuzzy',
    value: (user) => user.id,
    text: (user) => user.id,
    show: (user) => <code>{user.id}</code>,
  },
  {
    key: 'lastUsageTimestamp',
    title: 'Last Usage Timestamp',
    filter: 'fuzzy',
    value: (user) => user.lastUsageTimestamp,
    text: (user) => formatTime(user.lastUsageTimestamp),
    tip: ({ lastUsageTimestamp: at }) => (at === null ? 'Never used' : inZone(formatAge(at), at)),
  },
  {
    key: 'name',
    title: 'Account Name',
    lead: true,
    filter: 'fuzzy',
    value: (user) => user.name,
    text: (user) => user.name,
    show: ({ name, secondFactor }) => (secondFactor ? <Marked text={name} look="ok" mark="Two-step" /> : name),
  },
  {
    key: 'email',
    title: 'Email',
    filter: 'fuzzy',
    value: (user) => user.email,
    text: (user) => user.email,
    show: ({ email, emailVerified }) => (emailVerified ? email : <Marked text={email} look="off" mark="Unverified" />),
  },
]

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

const access: readonly Column<ListedUser>[] = [
  {
    key: 'status',
    title: 'Status',
    filter: 'equalsString',
    value: statusText,
    text: statusText,
    show: (user) => <Status user={user} />,
  },
  {
    key: 'roles',
    title: 'Roles',
    filter: 'includesString',
    value: ({ roles }) => roles.Admin * 3 + roles.Tools,
    text: ({ roles }) => rolesInWords(roles),
  },
  {
    key: 'tags',
    title: 'Tags',
    wide: true,
    filter: 'includesString',
    value: ({ tags }) => JSON.stringify(tags),
    text: ({ tags }) => inWords(tags),
    means: ({ tags }, query) => haveParts(tags, query),
    show: ({ tags }) =>
      tags.length === 0 ? (
        '–'
      ) : (
        <span className={css.marked}>
          {tags.map((tag) => (
            <Tag key={tag} text={tag} />
          ))}
        </span>
      ),
  },
]

const lastSignIn: Column<ListedUser> = {
  key: 'lastSignInAt',
  title: 'Last Sign-in',
  wide: true,
  filter: 'fuzzy',
  value: (user) => user.lastSignInAt,
  text: (user) => formatTime(user.lastSignInAt),
  tip: ({ lastSignInAt: at }) => (at === null ? 'Never signed in' : inZone(formatAge(at), at)),
}

/** Narrowed by the chips above the list. */
const kind: Column<ListedUser> = {
  key: 'show',
  title: 'Kind',
  filter: 'equals',
  unseen: (query) => kinds[query as UserKind],
  value: () => null,
  text: () => '',
  means: (user, query) => kindOf[query as UserKind]?.(user) ?? false,
}

/** The columns of the list; `profiles` tell what providers are called. */
export function userColumns(profiles: Profiles): readonly Column<ListedUser>[] {
  const names = ({ providerIds }: ListedUser) => providerIds.map((id) => providerName(profiles, id))
  const providers: Column<ListedUser> = {
    key: 'providers',
    title: 'Providers',
    wide: true,
    filter: 'includesString',
    value: ({ providerIds }) => providerIds[0] ?? null,
    text: (user) => inWords(names(user)),
    means: (user, query) => haveParts(names(user), query),
  }
  return [...identity, ...access, providers, lastSignIn, kind]
}

/** Only in files. */
export const usernameColumn: Column<ListedUser> = {
  key: 'credUsername',
  title: 'Username',
  filter: 'equals',
  value: (user) => user.credUsername,
  text: (user) => user.credUsername ?? '',
}

/** What the list can be narrowed to, as the chips above it say. */
export const kinds: Record<UserKind, string> = {
  waiting: 'Waiting',
  noRole: 'No role',
  blocked: 'Blocked',
  admins: 'Administrators',
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
