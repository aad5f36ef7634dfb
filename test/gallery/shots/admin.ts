import { press, type Shot, shot } from '../shot.ts'

const layla = (path: string) =>
  `${path}?email=layla.bint.abd.al-rahman.al-andalusi.al-qurtubi@mathematics.university-of-cordoba.example.com`

export const adminShots: readonly Shot[] = [
  shot('users', 'ada', '/admin/users', '1 of 51'),
  shot('user-find', 'ada', '/admin/user/modify', 'Enter your User Email'),
  shot('user-edit', 'ada', layla('/admin/user/modify'), 'API Keys'),
  shot('user-status-open', 'ada', layla('/admin/user/modify'), 'API Keys', { act: press('Show Status'), window: true }),
  shot('user-password', 'ada', layla('/admin/user/modify'), 'API Keys', {
    act: press('Update Password'),
    window: true,
  }),
  shot('user-delete', 'ada', layla('/admin/user/modify'), 'API Keys', { act: press('Delete'), window: true }),
  shot('user-create', 'ada', '/admin/user/create', 'No Access'),
  shot('audit', 'ada', '/admin/audit', 'Edited user'),
  shot('health', 'ada', '/admin/health', 'Check again'),
  shot('backups', 'ada', '/admin/backups', 'Back up now'),
  shot('invites-none', 'ada', '/admin/invites', 'No invitations yet.'),
  shot('announce', 'ada', '/admin/notifications', 'How it will appear'),
]
