import { expect, test, vi } from 'vitest'
import { filterRows } from '../../ui/table/column.ts'
import type { ListedUser } from '../contract.ts'
import { kinds, userColumns } from './columns.tsx'

vi.mock('../../ui/media.ts', () => ({ useIsPhone: () => false }))

const at = Date.UTC(2026, 0, 5, 12)
const user = (name: string, more: Partial<ListedUser> = {}): ListedUser => ({
  id: `id-${name}`,
  name,
  email: `${name}@example.com`,
  emailVerified: true,
  status: 2,
  tags: [],
  roles: { Admin: 0, Tools: 1 },
  credUsername: null,
  secondFactor: false,
  providerIds: [],
  waiting: false,
  lastUsageTimestamp: null,
  lastSignInAt: null,
  logInCount: 0,
  createdAt: at,
  updatedAt: at,
  ...more,
})
const people = [
  user('ada', { roles: { Admin: 2, Tools: 2 }, providerIds: ['002_Github', '003_Credentials'], tags: ['Verified'] }),
  user('bob', { roles: { Admin: 1, Tools: 0 }, status: 1, waiting: true, tags: ['Verified', 'Moderator'] }),
  user('cid', { roles: { Admin: 0, Tools: 0 }, status: 0, emailVerified: false, providerIds: ['002_Github'] }),
]
const profile = (name: string) => ({ name, url: '' })
const columns = userColumns({ '002_Github': profile('GitHub'), '003_Credentials': profile('Credentials') })
const found = (filters: Record<string, string>) => filterRows(people, columns, filters).map(({ name }) => name)

test('each filter chip shows only the users of its kind', () => {
  const all = Object.fromEntries(Object.keys(kinds).map((show) => [show, found({ show })]))
  expect(all).toEqual({
    waiting: ['bob'],
    noRole: ['cid'],
    blocked: ['cid'],
    admins: ['ada', 'bob'],
    unverified: ['cid'],
  })
  expect(found({ show: 'friends' })).toEqual([])
})

test.each([
  [{ status: 'active' }, ['ada']],
  [{ status: 'Act' }, []],
  [{ roles: 'admin 1' }, ['bob']],
  [{ roles: '–' }, ['cid']],
  [{ tags: 'verif' }, ['ada', 'bob']],
  [{ tags: 'mod, VERIFIED' }, ['bob']],
  [{ tags: 'verified, nobody' }, []],
  [{ tags: '–' }, ['cid']],
  [{ providers: 'git' }, ['ada', 'cid']],
  [{ providers: 'hub,cred' }, ['ada']],
  [{ providers: '–' }, ['bob']],
  [{ email: 'a@' }, ['ada']],
  [{ id: 'ic' }, ['cid']],
  [{ show: 'admins', tags: 'mod' }, ['bob']],
])('the search %j finds %j', (filters, names) => {
  expect(found(filters as Record<string, string>)).toEqual(names)
})
