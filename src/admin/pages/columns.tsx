import type { ReactNode } from 'react'
import css from '../../people/pages/admin.module.css'
import { providerName } from '../../people/pages/provider-link.ts'
import { partsOf } from '../../shared/list-terms.ts'
import type { State } from '../../shared/status-glyphs.ts'
import { Blocked, formatRoles, statusText } from '../../shared/user.ts'
import { Status } from '../../ui/components/status.tsx'
import type { Profiles } from '../../ui/data/server-config.ts'
import { useIsPhone } from '../../ui/media.ts'
import { type Column, columnsOf } from '../../ui/table/column.ts'
import { type ListedUser, type UserKind, userColumnTerms } from '../contract.ts'

const states: Readonly<Record<number, State>> = { 0: 'blocked', 1: 'paused', 2: 'ok' }

function Named({ user }: { user: ListedUser }) {
  const { name, status, waiting, emailVerified, secondFactor } = user
  const more = [...(emailVerified ? [] : ['unverified']), ...(secondFactor ? ['two-step'] : [])].join(' · ')
  return (
    <span className={css.named} dir="ltr">
      <b dir="auto">{name}</b>
      <Status
        size="s"
        state={waiting ? 'new' : (states[status] ?? 'paused')}
        word={waiting ? 'Waiting' : statusText(status)}
      >
        {more}
      </Status>
    </span>
  )
}

const TwoLines = ({ children }: { children: ReactNode }) => <span className={css.twoLines}>{children}</span>

/** An email that can wrap before its domain. On phones, which show no other column, the roles follow. */
function Email({ user: { email, roles } }: { user: ListedUser }) {
  const isPhone = useIsPhone()
  const at = email.lastIndexOf('@')
  return (
    <>
      <TwoLines>
        {email.slice(0, at)}
        <wbr />
        {email.slice(at)}
      </TwoLines>
      {isPhone && <small>{formatRoles(roles)}</small>}
    </>
  )
}

/** Whether each comma-separated part of the query is contained in one of these words. */
const haveParts = (words: readonly string[], query: string) => {
  const parts = partsOf(query)
  return parts.length > 0 && parts.every((part) => words.some((word) => word.toLowerCase().includes(part)))
}
const joinOrDash = (words: readonly string[]) => words.join(', ') || '–'

/** Filtered by the chips above the list. */
const kind: Column<ListedUser> = {
  key: 'show',
  title: 'Kind',
  search: 'equals',
  filterOnly: (query) => Object.hasOwn(kinds, query),
  value: () => null,
  text: () => '',
  alsoMatches: (user, query) => kindOf[query as UserKind]?.(user) ?? false,
}

type Key = keyof typeof userColumnTerms

/** The columns of the list; `profiles` contains the provider names. */
export function userColumns(profiles: Profiles): readonly Column<ListedUser>[] {
  const names = ({ providerIds }: ListedUser) => providerIds.map((id) => providerName(profiles, id))
  const column = columnsOf<ListedUser, Key>(userColumnTerms, {
    id: { value: (user) => user.id, show: (user) => <code>{user.id}</code> },
    lastUsageTimestamp: { value: (user) => user.lastUsageTimestamp, never: 'Never used' },
    name: { isRowTitle: true, value: (user) => user.name, show: (user) => <Named user={user} /> },
    email: { shownOnPhone: true, value: (user) => user.email, show: (user) => <Email user={user} /> },
    status: { hiddenByDefault: true, value: (user) => statusText(user.status) },
    roles: {
      value: ({ roles }) => roles.Admin * 3 + roles.Tools,
      text: ({ roles }) => formatRoles(roles),
      show: ({ roles }) => <TwoLines>{formatRoles(roles)}</TwoLines>,
    },
    tags: {
      fillsWidth: true,
      value: ({ tags }) => JSON.stringify(tags),
      text: ({ tags }) => joinOrDash(tags),
      alsoMatches: ({ tags }, query) => haveParts(tags, query),
      show: ({ tags }) => <TwoLines>{joinOrDash(tags)}</TwoLines>,
    },
    providers: {
      value: ({ providerIds }) => providerIds[0] ?? null,
      text: (user) => joinOrDash(names(user)),
      alsoMatches: (user, query) => haveParts(names(user), query),
      show: (user) => <TwoLines>{joinOrDash(names(user))}</TwoLines>,
    },
    lastSignInAt: { hiddenByDefault: true, value: (user) => user.lastSignInAt, never: 'Never signed in' },
  })
  return [...(Object.keys(userColumnTerms) as Key[]).map(column), kind]
}

/** Only in CSV exports. */
export const usernameColumn: Column<ListedUser> = {
  key: 'credUsername',
  title: 'Username',
  search: 'equals',
  value: (user) => user.credUsername,
  text: (user) => user.credUsername ?? '',
}

export const kinds: Record<UserKind, string> = {
  waiting: 'Waiting',
  noRole: 'No role',
  blocked: 'Blocked',
  admins: 'Admins',
  unverified: 'Unverified',
}

/** Whether a user is of a kind, by the same rules as on the server. */
const kindOf: Record<UserKind, (user: ListedUser) => boolean> = {
  waiting: (user) => user.waiting,
  noRole: ({ roles }) => roles.Admin === 0 && roles.Tools === 0,
  blocked: ({ status }) => status === Blocked,
  admins: ({ roles }) => roles.Admin > 0,
  unverified: ({ emailVerified }) => !emailVerified,
}
