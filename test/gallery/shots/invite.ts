import { inTurn, mockRoute, press, type Shot, shot } from '../shot.ts'

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
const answers = (more: object = {}) =>
  mockRoute('/api/v1/admin/invites', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: some })
      : route.fulfill({ status: 201, json: { ...created, ...more } }),
  )
const askFor = inTurn(press('New invitation'), (page) => page.getByRole('button', { name: 'Create link' }).waitFor())
const create = inTurn(askFor, press('Create link'), (page) =>
  page.getByRole('img', { name: 'QR code of the link' }).waitFor(),
)
const invites = (name: string, more: Parameters<typeof shot>[4]) =>
  shot(name, 'ada', '/admin/invites', 'layla@example.com', { before: answers(), ...more })

export const inviteShots: readonly Shot[] = [
  invites('invites', {}),
  invites('invites-new', { act: askFor, window: true }),
  invites('invites-link', { act: create, window: true }),
  invites('invites-unmailed', {
    before: answers({ note: 'the mail server answered 550 No such user here' }),
    act: create,
    window: true,
  }),
]
