/** The screens of one's own account. */
export const ownTabs = [
  { to: '/user', label: 'Profile' },
  { to: '/user/channels', label: 'Channels' },
]
