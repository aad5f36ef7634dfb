import { at, press, type Shot } from '../shot.ts'

const layla = (path: string) =>
  `${path}?email=layla.bint.abd.al-rahman.al-andalusi.al-qurtubi@mathematics.university-of-cordoba.example.com`

export const adminShots: readonly Shot[] = [
  { name: 'users', as: 'ada', path: at('/admin/users'), shows: '1 of 51' },
  { name: 'user-find', as: 'ada', path: at('/admin/user/modify'), shows: 'Enter your User Email' },
  { name: 'user-edit', as: 'ada', path: at(layla('/admin/user/modify')), shows: 'API Keys' },
  {
    name: 'user-status-open',
    as: 'ada',
    path: at(layla('/admin/user/modify')),
    shows: 'API Keys',
    act: press('Show Status'),
    window: true,
  },
  {
    name: 'user-password',
    as: 'ada',
    path: at(layla('/admin/user/modify')),
    shows: 'API Keys',
    act: press('Update Password'),
    window: true,
  },
  {
    name: 'user-delete',
    as: 'ada',
    path: at(layla('/admin/user/modify')),
    shows: 'API Keys',
    act: press('Delete'),
    window: true,
  },
  { name: 'user-create', as: 'ada', path: at('/admin/user/create'), shows: 'No Access' },
  { name: 'audit', as: 'ada', path: at('/admin/audit'), shows: 'Edited user' },
  { name: 'health', as: 'ada', path: at('/admin/health'), shows: 'Check again' },
  { name: 'backups', as: 'ada', path: at('/admin/backups'), shows: 'Back up now' },
  { name: 'invites-none', as: 'ada', path: at('/admin/invites'), shows: 'No invitations yet.' },
  { name: 'announce', as: 'ada', path: at('/admin/notifications'), shows: 'How it will appear' },
]
