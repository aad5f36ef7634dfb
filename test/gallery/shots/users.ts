import type { Page } from '@playwright/test'
import { at, press, type Shot } from '../shot.ts'

const list = at('/admin/users')
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
  await page.getByLabel('Or paste it').fill(table)
  await press('Preview')(page)
  await page.getByRole('dialog').getByRole('table').waitFor()
}

/** Work on many users, and what their roles mean. */
export const usersShots: readonly Shot[] = [
  { name: 'users-selected', as: 'ada', path: list, shows: '1 of 51', act: selected() },
  { name: 'users-kind', as: 'ada', path: at('/admin/users?show=admins'), shows: '1 of' },
  {
    name: 'users-status',
    as: 'ada',
    path: list,
    shows: '1 of 51',
    act: inTurn(selected('Status…'), pick('Status', 'Blocked')),
    window: true,
  },
  {
    name: 'users-roles',
    as: 'ada',
    path: list,
    shows: '1 of 51',
    act: inTurn(selected('Roles…'), pick('Tools', 'Full Access'), pick('Admin', 'Admin Access')),
    window: true,
  },
  {
    name: 'users-raise',
    as: 'ada',
    path: list,
    shows: '1 of 51',
    act: inTurn(selected('Roles…'), pick('Admin', 'Admin Access'), press('Set roles')),
    window: true,
  },
  { name: 'users-tags', as: 'ada', path: list, shows: '1 of 51', act: selected('Tags…'), window: true },
  { name: 'users-delete', as: 'ada', path: list, shows: '1 of 51', act: selected('Delete…'), window: true },
  { name: 'users-import', as: 'ada', path: list, shows: '1 of 51', act: press('Import…'), window: true },
  { name: 'users-preview', as: 'ada', path: list, shows: '1 of 51', act: previewed, window: true },
  {
    name: 'user-abilities',
    as: 'ada',
    path: at('/admin/user/modify?email=noor@example.com'),
    shows: 'API Keys',
    act: (page) => page.getByText('What can this user do?').click(),
  },
]
