import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { User } from '../../../src/admin/contract.ts'
import { hours } from '../../../src/shared/time.ts'
import { password } from '../people.ts'
import { changeDatabase, type Instance } from './instance.ts'
import { expect } from './kit.ts'

export type CreatedUser = { id: string; email: string }
export const rows = (page: Page) => page.locator('tbody tr')
export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
export const search = (page: Page, title: string) => page.getByLabel(`Search ${title}`)

type Levels = { Admin?: number; Tools?: number }
export const createTestUser = (instance: Instance, name: string, roles: Levels = {}): Promise<CreatedUser> =>
  insertUser(instance, name, { roles })
async function insertUser(instance: Instance, name: string, more: object): Promise<User> {
  const user = { name, email: `${name}@example.com`, credUsername: name, password, ...more }
  const { status, body } = await instance.call<User>('POST', '/api/v1/admin/user', user)
  expect(status).toBe(201)
  return body
}
export const updateUser = async (instance: Instance, id: string, what: object) =>
  expect((await instance.call('PATCH', '/api/v1/admin/user', { id, ...what })).status).toBe(200)
export const deleteUser = (instance: Instance, { email }: Pick<CreatedUser, 'email'>) =>
  instance.call('DELETE', `/api/v1/admin/user?email=${encodeURIComponent(email)}`)

/** Makes it appear that the user signed in an hour ago and has not re-authenticated since. */
export const expireReauthentication = (instance: Instance, name: string) =>
  changeDatabase(instance, (db) => {
    const created_at = db.timestamp(Date.now() - hours(1))
    const user = db.q.selectFrom('users').select('id').where('name', '=', name)
    return db.q.updateTable('sessions').set({ created_at, proved_at: null }).where('user_id', '=', user).execute()
  })

/** Waits for a mail with a link to this page and returns the newest link. */
export async function mailedLink({ smtp, url }: Instance, email: string, page: 'auth/reset' | 'user/verify-email') {
  const linkIn = new RegExp(`/${page}#[\\w-]{43}`)
  const found = () =>
    smtp.mails
      .filter(({ to }) => to.includes(email))
      .map(({ source }) => linkIn.exec(source.replaceAll('=\n', ''))?.[0])
      .findLast((link) => link !== undefined)
  await expect.poll(found).toBeDefined()
  return `${url}${found()}`
}

export const modify = '/admin/user/modify'
export const create = '/admin/user/create'
export const modifyPathOf = (email: string) => `${modify}?email=${encodeURIComponent(email)}`
export const save = (page: Page) => page.getByRole('button', { name: 'Save' })
export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
export const select = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const unsaved = (page: Page) => page.getByText('Unsaved changes')
export const deleteDialog = (page: Page, email: string) => page.getByRole('dialog', { name: `Delete ${email} ?` })
export const passwordDialog = (page: Page) => page.getByRole('dialog', { name: 'Set Password for User' })

export const createUniqueUser = (instance: Instance, more: object = {}) =>
  insertUser(instance, `p${randomBytes(5).toString('hex')}`, more)
export const readUser = async (instance: Instance, email: string) =>
  (await instance.call<User>('GET', `/api/v1/admin/user?email=${encodeURIComponent(email)}`)).body
