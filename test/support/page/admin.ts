import type { Browser, Page } from '@playwright/test'
import { password } from '../people.ts'
import type { House } from './house.ts'
import { expect } from './kit.ts'

export type Known = { id: string; email: string }
export const rows = (page: Page) => page.locator('tbody tr')
export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
export const search = (page: Page, title: string) => page.getByLabel(`Search ${title}`)

/** A user of this name with a password and these roles. */
export async function person(
  house: House,
  name: string,
  roles: { Admin?: number; Tools?: number } = {},
): Promise<Known> {
  const user = { name, email: `${name}@example.com`, credUsername: name, password, roles }
  const { status, body } = await house.call<Known>('POST', '/api/v1/admin/user', user)
  expect(status).toBe(201)
  return body
}
export const change = async (house: House, id: string, what: object) =>
  expect((await house.call('PATCH', '/api/v1/admin/user', { id, ...what })).status).toBe(200)
export const dismiss = (house: House, { email }: Pick<Known, 'email'>) =>
  house.call('DELETE', `/api/v1/admin/user?email=${email}`)

/** A new context begins with the test's own session otherwise, which a sign-in would end. */
export const nobody = { cookies: [], origins: [] }

/** A browser of this user's own, signed in. */
export async function browserOf(browser: Browser, house: House, username: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: house.url, storageState: nobody })
  const answer = await context.request.post('/api/auth/sign-in/username', { data: { username, password } })
  expect(answer.status()).toBe(200)
  return context.newPage()
}
