import { tools } from '../../../src/tools/index.ts'

/** Who may see a screen or make a call; or a role with its minimum level. */
export type Access = 'everybody' | 'signed out' | 'signed in' | readonly ['Tools' | 'Admin', 1 | 2]
export type Screen = { path: string; title: string; access: Access }

export const denied = { path: '/auth/error?error=AccessDenied', title: 'Access denied' }
export const signIn = { path: '/auth/signin', title: 'Sign in' }
export const home = { path: '/', title: 'Home' }

export const toolsWithEntries = tools.filter((tool) => tool.kind === 'entries')
export type EntryToolId = (typeof toolsWithEntries)[number]['id']
const pageTools = tools.filter((tool) => tool.kind === 'page')

const to = (access: Access, titles: Record<string, string>): Screen[] =>
  Object.entries(titles).map(([path, title]) => ({ path, title, access }))

export const screens: readonly Screen[] = [
  ...to('everybody', {
    [home.path]: home.title,
    ...Object.fromEntries(pageTools.map(({ id, label }) => [`/tools/${id}`, label])),
    [denied.path]: denied.title,
    '/auth/setup': 'Set up',
    '/auth/forgot': 'Reset your password',
    '/auth/reset': 'Choose a new password',
    '/auth/invite': 'Invitation',
    '/auth/proved': 'Confirmed',
    '/user/confirm-email': 'Confirm email',
    '/_loading': 'Loading',
    '/_fail': 'Failed',
  }),
  ...to('signed out', { [signIn.path]: signIn.title, [`${signIn.path}/user`]: signIn.title }),
  ...to('signed in', {
    '/user': 'User Profile',
    '/user/verify-email': 'Confirm your email',
    '/user/security': 'Security',
    '/user/keys': 'API keys',
    '/user/data': 'Import and export',
    '/user/channels': 'Channels',
    '/tools/analyticsbadge/badges': 'Your Badges',
  }),
  ...toolsWithEntries.flatMap(({ id, label }) =>
    to(['Tools', 1], {
      [`/tools/${id}`]: label,
      [`/tools/${id}/create`]: `Create ${label}`,
      [`/tools/${id}/modify`]: `Modify ${label}`,
      [`/tools/${id}/viewlist`]: `${label} List`,
    }),
  ),
  ...to(['Tools', 1], { '/user/status': 'Status Page' }),
  ...to(['Tools', 1], { '/tools/ghmdinvalidator/check': 'Why is my image old?' }),
  ...to(['Admin', 1], { '/admin/users': 'List Users' }),
  ...to(['Admin', 2], {
    '/admin/user/modify': 'Edit User',
    '/admin/user/create': 'Create User',
    '/admin/invites': 'Invitations',
    '/admin/audit': 'Audit Log',
    '/admin/notifications': 'Announcements',
    '/admin/backups': 'Backups',
    '/admin/health': 'Health',
  }),
]

/** A text on each screen that needs no entry, which a user with all roles sees once it has loaded. */
export const loadedTexts: Record<string, string> = {
  '/user': 'Connected Providers',
  '/user/security': 'This device',
  '/user/keys': 'No API keys yet.',
  '/user/data': 'Download with secrets',
  '/user/channels': 'No channels yet.',
  '/user/status': 'Find your entries',
  '/tools/keepalive': 'every 28 minutes',
  '/tools/analyticsbadge': 'Your badges',
  '/tools/analyticsbadge/badges': 'No badges yet.',
  '/tools/ghmdinvalidator/check': 'Page or image URL',
  '/admin/users?email=grace@': 'grace@example.com',
  '/admin/user/create': 'For signing in with a password.',
  '/admin/user/modify?email=grace@example.com': 'Log In Count',
  '/admin/invites': 'New invitation',
  '/admin/health': 'Admins',
  '/admin/audit': '127.0.0.1',
  '/admin/notifications': 'How it will appear',
  '/admin/backups': 'All backups',
}
