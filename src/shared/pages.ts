import { type AccessLevel, can, type RoleName, type SessionUser } from './user.ts'

export type Page = {
  path: string
  /** As the menus and the search call it. The search leaves out pages without a title. */
  title?: string
  /** Who may open it. */
  role?: readonly [RoleName, AccessLevel]
  /** Where the header leads to it: from the bar itself, or from one of its menus. */
  menu?: 'bar' | 'own' | 'admin'
}

const tools1 = ['Tools', 1] as const
const admin2 = ['Admin', 2] as const

/** Every page but Home and those of tools, in the order in which menus and the search list them. */
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

/** The pages that a menu of the header shows to this user; an icon goes by the name of its page. */
export const pagesIn = (menu: Page['menu'], user: SessionUser | null | undefined) =>
  pageEntries.flatMap(([name, page]) =>
    user && page.menu === menu && mayFind(user, page) ? [{ Icon: name, to: page.path, label: page.title ?? '' }] : [],
  )

/** Every admin is shown where users are edited, though only some may. */
const mayFind = (user: SessionUser, { role, path }: Page) =>
  !role || can(user, ...role) || (path === pages.editUser.path && can(user, 'Admin', 1))
