import { can, type SessionUser } from '../../shared/user.ts'

const forAll = [
  { to: '/user', label: 'Profile' },
  { to: '/user/channels', label: 'Channels' },
]
const all = [...forAll, { to: '/user/status', label: 'Status Page' }]

/** The screens of one's own account. */
export const ownTabsFor = (user: SessionUser | null | undefined) => (can(user, 'Tools', 1) ? all : forAll)
