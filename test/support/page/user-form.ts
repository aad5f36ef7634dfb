import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { User } from '../../../src/admin/contract.ts'
import { password } from '../people.ts'
import type { House } from './house.ts'
import { expect } from './kit.ts'

export const modify = '/admin/user/modify'
export const create = '/admin/user/create'
export const at = (email: string) => `${modify}?email=${encodeURIComponent(email)}`
export const save = (page: Page) => page.getByRole('button', { name: 'Save' })
export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
export const select = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
export const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const unsaved = (page: Page) => page.getByText('Unsaved changes')
export const deleteDialog = (page: Page, email: string) => page.getByRole('dialog', { name: `Delete ${email} ?` })
export const passwordDialog = (page: Page) => page.getByRole('dialog', { name: 'Set Password for User' })

/** A user of the house with a name of their own, a username and a password. */
export async function newcomer(house: House, more: object = {}) {
  const name = `p${randomBytes(5).toString('hex')}`
  const wanted = { name, email: `${name}@example.com`, credUsername: name, password, ...more }
  const { status, body } = await house.call<User>('POST', '/api/v1/admin/user', wanted)
  expect(status).toBe(201)
  return body
}
export const readUser = async (house: House, email: string) =>
  (await house.call<User>('GET', `/api/v1/admin/user?email=${encodeURIComponent(email)}`)).body
export const dismiss = (house: House, email: string) =>
  house.call('DELETE', `/api/v1/admin/user?email=${encodeURIComponent(email)}`)
