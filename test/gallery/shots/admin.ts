import type { Page } from '@playwright/test'
import { clickText, fill, inTurn, press, type Shot, shot } from '../shot.ts'

const list = '/admin/users'
const selected = (act?: string) => async (page: Page) => {
  const boxes = page.locator('tbody').getByRole('checkbox')
  for (const index of [1, 2, 4]) await boxes.nth(index).check()
  await page.getByRole('region', { name: 'Selected users' }).waitFor()
  if (!act) return
  await press(act)(page)
  await page.getByRole('dialog').waitFor()
}
const pick = (field: string, option: string) => async (page: Page) => {
  await page.getByRole('dialog').getByRole('combobox', { name: field, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const table = [
  'email,name,roles,status',
  'zoe@example.com,Zoe Quinn,Tools 1,Active',
  'nobody,Nobody,,',
  'noor@example.com,Noor Inayat Khan,Tools 2,',
  'layla,,,',
].join('\n')
const previewed = inTurn(press('Import…'), fill('Or paste its content', table), press('Preview'), (page) =>
  page.getByRole('dialog').getByRole('table').waitFor(),
)

const edit =
  '/admin/user/modify?email=layla.bint.abd.al-rahman.al-andalusi.al-qurtubi@mathematics.university-of-cordoba.example.com'

export const adminShots: readonly Shot[] = [
  shot('users', 'ada', '/admin/users', '1 of 51'),
  shot('user-find', 'ada', '/admin/user/modify', 'Enter your User Email'),
  shot('user-edit', 'ada', edit, 'API Keys'),
  shot('user-status-open', 'ada', edit, 'API Keys', { act: press('Show Status'), window: true }),
  shot('user-password', 'ada', edit, 'API Keys', {
    act: press('Update Password'),
    window: true,
  }),
  shot('user-delete', 'ada', edit, 'API Keys', { act: press('Delete'), window: true }),
  shot('user-create', 'ada', '/admin/user/create', 'No Access'),
  shot('audit', 'ada', '/admin/audit', 'Edited user'),
  shot('health', 'ada', '/admin/health', 'Check again'),
  shot('backups', 'ada', '/admin/backups', 'Back up now'),
  shot('invites-none', 'ada', '/admin/invites', 'No invitations yet.'),
  shot('announce', 'ada', '/admin/notifications', 'How it will appear'),
  shot('users-selected', 'ada', list, '1 of 51', { act: selected() }),
  shot('users-kind', 'ada', '/admin/users?show=admins', '1 of'),
  shot('users-status', 'ada', list, '1 of 51', {
    act: inTurn(selected('Status…'), pick('Status', 'Blocked')),
    window: true,
  }),
  shot('users-roles', 'ada', list, '1 of 51', {
    act: inTurn(selected('Roles…'), pick('Tools', 'Full Access'), pick('Admin', 'Admin Access')),
    window: true,
  }),
  shot('users-raise', 'ada', list, '1 of 51', {
    act: inTurn(selected('Roles…'), pick('Admin', 'Admin Access'), press('Set roles')),
    window: true,
  }),
  shot('users-tags', 'ada', list, '1 of 51', { act: selected('Tags…'), window: true }),
  shot('users-delete', 'ada', list, '1 of 51', { act: selected('Delete…'), window: true }),
  shot('users-import', 'ada', list, '1 of 51', { act: press('Import…'), window: true }),
  shot('users-preview', 'ada', list, '1 of 51', { act: previewed, window: true }),
  shot('user-abilities', 'ada', '/admin/user/modify?email=noor@example.com', 'API Keys', {
    act: clickText('What can this user do?'),
  }),
]
