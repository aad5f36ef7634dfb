import { type AccessLevel, can, type RoleName, type SessionUser } from './user.ts'

export type Page = {
  path: string
  /** The title in menus and search results. The search omits pages without one. */
  title?: string
  /** The role and level that a user needs to open it. */
  role?: readonly [RoleName, AccessLevel]
  menu?: 'bar' | 'own' | 'admin'
}

const tools1 = ['Tools', 1] as const
const admin2 = ['Admin', 2] as const

/** Every page except Home and the tools' pages, in the order of menus and search results. */
export const pages = {
  profile: { path: '/user', title: 'User Profile', menu: 'own' },
  security: { path: '/user/security', title: 'Security', menu: 'own' },
  keys: { path: '/user/keys', title: 'API keys', menu: 'own' },
  data: { path: '/user/data', title: 'Import and export', menu: 'own' },
  status: { path: '/user/status', title: 'Status Page', role: tools1, menu: 'bar' },
  channels: { path: '/user/channels', title: 'Channels', menu: 'bar' },
  confirmEmail: { path: '/user/confirm-email' },
  verifyEmail: { path: '/user/verify-email' },
  users: { path: '/admin/users', title: 'List Users', role: ['Admin', 1], menu: 'admin' },
  editUser: { path: '/admin/user/modify', title: 'Edit User', role: admin2, menu: 'admin' },
  createUser: { path: '/admin/user/create', title: 'Create User', role: admin2 },
  invites: { path: '/admin/invites', title: 'Invitations', role: admin2, menu: 'admin' },
  health: { path: '/admin/health', title: 'Health', role: admin2, menu: 'admin' },
  audit: { path: '/admin/audit', title: 'Audit Log', role: admin2, menu: 'admin' },
  announcements: { path: '/admin/notifications', title: 'Announcements', role: admin2, menu: 'admin' },
  backups: { path: '/admin/backups', title: 'Backups', role: admin2, menu: 'admin' },
  signIn: { path: '/auth/signin/{-$user}' },
  secondStep: { path: '/auth/second-step' },
  secondFactor: { path: '/auth/second-factor' },
  error: { path: '/auth/error' },
  setup: { path: '/auth/setup' },
  forgot: { path: '/auth/forgot' },
  reset: { path: '/auth/reset' },
  invite: { path: '/auth/invite' },
  proved: { path: '/auth/proved' },
} as const satisfies Record<string, Page>

export type PageName = keyof typeof pages
export const pageEntries = Object.entries(pages) as readonly (readonly [PageName, Page])[]

/** Each icon has the name of its page. */
export const pagesIn = (menu: Page['menu'], user: SessionUser | null | undefined) =>
  pageEntries.flatMap(([name, page]) =>
    user && page.menu === menu && mayFind(user, page) ? [{ Icon: name, to: page.path, label: page.title ?? '' }] : [],
  )

/** Shows Edit User to every admin, though editing requires level 2. */
const mayFind = (user: SessionUser, { role, path }: Page) =>
  !role || can(user, ...role) || (path === pages.editUser.path && can(user, 'Admin', 1))
