import type { Page } from '@playwright/test'
import { press, type Shot, shot } from '../shot.ts'

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
const inTurn =
  (...acts: readonly ((page: Page) => Promise<unknown>)[]) =>
  async (page: Page) => {
    for (const act of acts) await act(page)
  }
const table = [
  'email,name,roles,status',
  'zoe@example.com,Zoe Quinn,Tools 1,Active',
  'nobody,Nobody,,',
  'noor@example.com,Noor Inayat Khan,Tools 2,',
  'layla,,,',
].join('\n')
const previewed = async (page: Page) => {
  await press('Import…')(page)
  await page.getByLabel('Or paste its content').fill(table)
  await press('Preview')(page)
  await page.getByRole('dialog').getByRole('table').waitFor()
}

export const usersShots: readonly Shot[] = [
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
    act: (page) => page.getByText('What can this user do?').click(),
  }),
]
