import type { Page } from '@playwright/test'
import { mockRoute, press, type Shot } from '../shot.ts'

const day = 86_400_000
const invite = (id: number, more: object) => ({
  id: String(id),
  state: 'open',
  roles: { Admin: 0, Tools: 1 },
  tags: [],
  email: null,
  mailed: false,
  uses: 1,
  used: 0,
  expiresAt: Date.now() + 7 * day,
  createdBy: 'Ada Lovelace',
  createdAt: Date.now() - day,
  ...more,
})
const longest = `${'somebody.with.a.very.long.address'.repeat(3)}@example.com`
const some = [
  invite(1, {}),
  invite(2, { email: 'layla@example.com', mailed: true }),
  invite(3, { email: longest, roles: { Admin: 2, Tools: 2 }, tags: ['Verified', 'Admin', 'Moderator'] }),
  invite(4, { uses: 100, used: 100, state: 'used up', createdBy: 'Command line', roles: { Admin: 0, Tools: 0 } }),
  invite(5, { state: 'over', expiresAt: Date.now() - day }),
  invite(6, { state: 'stopped', createdBy: null }),
]
const created = { id: '7', url: `https://tools.example.com/auth/invite#${'k'.repeat(43)}`, mailed: false }
const answers =
  (more: object = {}) =>
  async (page: Page) => {
    const answer = mockRoute('/api/v1/admin/invites', (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ json: some })
        : route.fulfill({ status: 201, json: { ...created, ...more } }),
    )
    await answer(page)
  }
const askFor = async (page: Page) => {
  await press('New invitation')(page)
  await page.getByRole('button', { name: 'Create link' }).waitFor()
}
const create = async (page: Page) => {
  await askFor(page)
  await press('Create link')(page)
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
}
const screen = { as: 'ada', path: () => '/admin/invites', shows: 'layla@example.com' } as const

export const inviteShots: readonly Shot[] = [
  { name: 'invites', ...screen, before: answers() },
  { name: 'invites-new', ...screen, before: answers(), act: askFor, window: true },
  { name: 'invites-link', ...screen, before: answers(), act: create, window: true },
  {
    name: 'invites-unmailed',
    ...screen,
    before: answers({ note: 'the mail server answered 550 No such user here' }),
    act: create,
    window: true,
  },
]
