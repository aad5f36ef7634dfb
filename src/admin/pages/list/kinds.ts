import { Blocked } from '../../../shared/user.ts'
import type { ListedUser, UserKind } from '../../contract.ts'

/** What the list can be narrowed to, as the chips above it say. */
export const kinds: Record<UserKind, string> = {
  waiting: 'Waiting',
  noRole: 'No role',
  blocked: 'Blocked',
  admins: 'Administrators',
  unverified: 'Unverified',
}

/** Whether a user is of a kind: the same as the server finds. */
export const kindOf: Record<UserKind, (user: ListedUser) => boolean> = {
  waiting: (user) => user.waiting,
  noRole: ({ roles }) => roles.Admin === 0 && roles.Tools === 0,
  blocked: ({ status }) => status === Blocked,
  admins: ({ roles }) => roles.Admin > 0,
  unverified: ({ emailVerified }) => !emailVerified,
}
